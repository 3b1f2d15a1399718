"""Stretches of the user's source, read when a page is made; a file that is not there gives none."""

import linecache
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from stagelight.model.site import Site
from stagelight.report.document import Source
from stagelight.report.file_names import FileNames

LINES = 16
LARGEST_BYTES = 4 * 1024 * 1024


def function_excerpt(file: str, line: int, names: FileNames) -> Source | None:
    """The head of a function, with its decorators.

    Args:
        file: Where it is defined.
        line: The line of its ``def``.
        names: How files are called.

    Returns:
        The excerpt, or nothing if the file cannot be read, or is shorter by now.
    """
    lines = source_lines(file)
    if not 0 < line <= len(lines):
        return None
    line = _definition(lines, line)
    first = line
    while first > 1 and line - first < 4 and lines[first - 2].lstrip().startswith("@"):
        first -= 1
    last = _last_line(lines, line, min(len(lines), line + LINES - 1))
    return Source(names.short(file), first, tuple(lines[first - 1 : last]), ((line, "defined here"),))


def _definition(lines: Sequence[str], line: int) -> int:
    """The line of ``def`` where ``line`` is one of its decorators."""
    for number in range(line, min(len(lines), line + LINES) + 1):
        text = lines[number - 1].lstrip()
        if text.startswith(("def ", "async def ", "class ")) or not lines[line - 1].lstrip().startswith("@"):
            return number
    return line


def _last_line(lines: Sequence[str], line: int, limit: int) -> int:
    """The last line of the body that begins at ``line``, at most ``limit``; blank lines at the end are left out."""
    depth = _indent(lines[line - 1])
    last = line
    for number in range(line + 1, limit + 1):
        text = lines[number - 1]
        if not text.strip():
            continue
        if _indent(text) <= depth and text.lstrip()[:1] not in (")", "]", "}"):
            break
        last = number
    return last


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def line_text(site: Site) -> str:
    """The source of one line, without its indentation; empty where it cannot be read."""
    lines = source_lines(site.file)
    return lines[site.line - 1].strip() if 0 < site.line <= len(lines) else ""


@lru_cache(maxsize=256)
def source_lines(file: str) -> tuple[str, ...]:
    """The lines of a Python file, or of a notebook cell of this process.

    A ledger is input like any other: it can name any file. Only regular files that are called ``.py`` are read, so that
    a page never carries off something else.
    """
    if file in linecache.cache and not file.endswith(".py"):
        return tuple(line.rstrip("\r\n") for line in linecache.getlines(file))
    path = Path(file)
    try:
        if path.suffix != ".py" or not path.is_file() or path.stat().st_size > LARGEST_BYTES:
            return ()
        return tuple(path.read_text("utf-8", errors="replace").splitlines())
    except (OSError, ValueError):
        return ()
