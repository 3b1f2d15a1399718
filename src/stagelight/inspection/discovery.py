"""Which files are checked."""

import fnmatch
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from stagelight.errors import UsageError

SUFFIXES = (".py", ".ipynb")
_SKIPPED_FOLDERS = frozenset(
    (
        ".git",
        ".hg",
        ".venv",
        "venv",
        ".tox",
        ".nox",
        "node_modules",
        "__pycache__",
        "site-packages",
        "build",
        "dist",
        ".ipynb_checkpoints",
        ".stagelight_cache",
    )
)


def discover_files(paths: Iterable[str], *, exclude: tuple[str, ...] = ()) -> tuple[Path, ...]:
    """Return the Python files and notebooks at some paths, folders read through, each once and in order.

    A file that is named directly is checked whatever its suffix; ``exclude`` holds for it too.

    Raises:
        UsageError: a path does not exist.
    """
    found: dict[Path, None] = {}
    for given in paths:
        path = Path(given)
        if path.is_dir():
            found.update(dict.fromkeys(_walk(path, exclude)))
        elif path.exists():
            if not is_matched(path, exclude):
                found[path] = None
        else:
            message = f"{given} does not exist. Give files or folders to check: stagelight check src"
            raise UsageError(message)
    return tuple(found)


def _walk(folder: Path, exclude: tuple[str, ...]) -> Iterator[Path]:
    for current, folders, files in os.walk(folder):
        here = Path(current)
        folders[:] = sorted(f for f in folders if f not in _SKIPPED_FOLDERS and not is_matched(here / f, exclude))
        for name in sorted(files):
            path = here / name
            if name.endswith(SUFFIXES) and not is_matched(path, exclude):
                yield path


def is_matched(path: Path, patterns: Iterable[str]) -> bool:
    """Whether a glob pattern matches a path, its name, or a folder above it.

    >>> is_matched(Path("src/pkg/old/a.py"), ("old",))
    True
    """
    text = shown_path(path)
    for pattern in patterns:
        cleaned = pattern.rstrip("/")
        parts = text.split("/")
        prefixes = ("/".join(parts[: n + 1]) for n in range(len(parts)))
        if any(fnmatch.fnmatchcase(part, cleaned) for part in parts):
            return True
        if any(fnmatch.fnmatchcase(prefix, cleaned) for prefix in prefixes):
            return True
    return False


def shown_path(path: Path) -> str:
    """Return a path as findings show it: relative to the current folder where it is inside, with forward slashes."""
    absolute = Path(os.path.abspath(path))
    try:
        return absolute.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return absolute.as_posix()
