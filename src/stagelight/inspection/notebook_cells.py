"""Notebooks as Python text: the code cells one after another, and where each of its lines came from."""

import json
import re
from typing import Any

import msgspec

_NOT_PYTHON = re.compile(r"^\s*(?:%|!|\?|.*\?\s*$)")


class NotebookText(msgspec.Struct, frozen=True):
    """The code of a notebook; ``cells`` gives, for each line, the cell (counted from 1) and the line in it."""

    text: str
    cells: tuple[tuple[int, int], ...]


def read_notebook(content: str) -> NotebookText:
    """Return the code of a notebook; magics and shell lines become comments.

    Raises:
        ValueError: the content is not a notebook.
    """
    try:
        notebook: Any = json.loads(content)
        cells = notebook["cells"]
    except (json.JSONDecodeError, KeyError, TypeError, RecursionError) as error:
        message = "this is not a notebook of format 4"
        raise ValueError(message) from error
    lines: list[str] = []
    places: list[tuple[int, int]] = []
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        text = "".join(source) if isinstance(source, list) else str(source)
        for line_number, line in enumerate(_python_lines(text), 1):
            lines.append(line)
            places.append((number, line_number))
    return NotebookText("\n".join(lines), tuple(places))


def _python_lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines and lines[0].startswith("%%"):
        # A cell magic hands the whole cell to something that may not be Python.
        return ["#" for _ in lines] if not lines[0].startswith(("%%time", "%%capture", "%%prun")) else ["#", *lines[1:]]
    return [_without_magic(line) for line in lines]


def _without_magic(line: str) -> str:
    if not _NOT_PYTHON.match(line):
        return line
    indent = line[: len(line) - len(line.lstrip())]
    # A block may consist of the magic alone.
    return f"{indent}pass"
