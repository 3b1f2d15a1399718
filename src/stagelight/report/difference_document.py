"""Two specializations of one function side by side, as a document: one table of the lines that differ."""

from stagelight.model.explanation_difference import ExplanationDifference, LineDifference
from stagelight.report.document import (
    Block,
    Cell,
    Change,
    Code,
    Column,
    Document,
    KeyValues,
    Line,
    Paragraph,
    Table,
    Text,
)


def difference_document(difference: ExplanationDifference) -> Document:
    """What differs between two calls of a function: static values, source lines, expressions and equations."""
    blocks: list[Block] = [
        Paragraph((Text("- "), Code(difference.before, "bad"), Text(f"   {difference.equations[0]} equations"))),
        Paragraph((Text("+ "), Code(difference.after, "good"), Text(f"   {difference.equations[1]} equations"))),
    ]
    if difference.static:
        rows = tuple((name, ((Change(before, after),),)) for name, before, after in difference.static)
        blocks.append(KeyValues(rows))
    if difference.lines:
        blocks.append(_lines(difference))
    elif not difference.static:
        blocks.append(Paragraph((Text("Both specializations made the same equations from the same source."),)))
    return Document(title="Two specializations side by side", blocks=tuple(blocks))


def _lines(difference: ExplanationDifference) -> Table:
    columns = (
        Column("line", align="right"),
        Column("source", code=True),
        Column(difference.before, code=True),
        Column(difference.after, code=True),
    )
    rows: list[tuple[Cell, ...]] = []
    for line in difference.lines:
        rows.append(_row_of_equations(line))
        rows.extend(_row_of_label(*label) for label in line.labels)
    return Table(columns=columns, rows=tuple(rows))


def _row_of_equations(line: LineDifference) -> tuple[Cell, ...]:
    differs = line.before != line.after
    sides = [Cell((Code(" · ".join(side) or "no equation"),), marked=differs) for side in (line.before, line.after)]
    number: Line = (Text(str(line.line)),)
    return (Cell(number), Cell((Code(line.text.strip()),)), *sides)


def _row_of_label(text: str, before: str, after: str) -> tuple[Cell, ...]:
    return (
        Cell(()),
        Cell((Text("  "), Code(text, "muted"))),
        Cell((Text(before, "muted"),)),
        Cell((Text(after, "muted"),)),
    )
