"""Tables in a terminal: columns as wide as what they hold, the widest one folded when the line is too short."""

from collections.abc import Iterable, Sequence

from rich.text import Text

from stagelight.report.document import Table
from stagelight.report.visible import visible

GAP = 2
NARROWEST = 12


def table_lines(table: Table, rows: Sequence[Sequence[Text]], width: int, indent: str) -> Iterable[Text]:
    """The table's lines.

    Args:
        table: The table, for its columns.
        rows: Its cells, styled.
        width: Columns of the terminal that it may use.
        indent: What stands before each line.
    """
    heads = [Text(visible(column.name).upper(), "dim") for column in table.columns]
    widths = [max(cell.cell_len for cell in column) for column in zip(heads, *rows, strict=True)]
    room = width - GAP * (len(widths) - 1)
    _shrink(widths, room)
    if sum(widths) > room:
        yield from _stacked(table, rows, width, indent)
        return
    for cells in (heads, *rows):
        folded = [
            _folded(cell, width, column.place) for cell, width, column in zip(cells, widths, table.columns, strict=True)
        ]
        for number in range(max(len(cell) for cell in folded)):
            line = Text(indent)
            for index, cell in enumerate(folded):
                part = cell[number] if number < len(cell) else Text()
                gap = widths[index] - part.cell_len
                right = table.columns[index].align == "right"
                line.append_text(Text.assemble(" " * gap if right else "", part, "" if right else " " * gap))
                line.append(" " * GAP)
            line.rstrip()
            yield line


def _stacked(table: Table, rows: Sequence[Sequence[Text]], width: int, indent: str) -> Iterable[Text]:
    """Where even narrow columns do not fit: a line for each cell, a blank line after each row."""
    for number, row in enumerate(rows):
        if number:
            yield Text()
        for column, cell in zip(table.columns, row, strict=True):
            label = Text(f"{visible(column.name)}  ", "dim")
            for part in _folded(Text.assemble(label, cell), max(width, NARROWEST), is_place=False):
                yield Text.assemble(indent, part)


def _shrink(widths: list[int], room: int) -> None:
    """Narrow the widest columns until the row fits, none below the narrowest."""
    while sum(widths) > room and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1


def _folded(cell: Text, width: int, is_place: bool) -> list[Text]:
    """The cell in lines of at most ``width``, broken at a space where one is near; a place loses its beginning."""
    if cell.cell_len <= width:
        return [cell]
    if is_place:
        return [Text.assemble("…", cell[len(cell) - width + 1 :])]
    lines: list[Text] = []
    rest = cell
    while rest.cell_len > width:
        space = rest.plain.rfind(" ", width // 2, width + 1)
        head, rest = rest.divide([space if space >= 0 else width])
        lines.append(head)
        rest = rest[1:] if space >= 0 else rest
    return [*lines, rest]
