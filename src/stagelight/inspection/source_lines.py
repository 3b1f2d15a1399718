"""The lines of a file as findings name it, cells of notebooks included."""

from pathlib import Path

from stagelight.inspection.source_file import read_source


def lines_of_file(file: str) -> tuple[str, ...]:
    """Return the lines of a file or a notebook's cell (``a.ipynb#cell3``); empty where they cannot be read."""
    name, _, cell = file.partition("#cell")
    try:
        source = read_source(Path(name))
    except (OSError, SyntaxError, ValueError):
        return ()
    lines = source.module.text.split("\n")
    if source.notebook is None or not cell:
        return tuple(lines)
    places = source.notebook.cells
    return tuple(line for line, place in zip(lines, places, strict=False) if place[0] == int(cell))
