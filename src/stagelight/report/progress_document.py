"""How far a learner is, as a table, and as one line."""

import msgspec

from stagelight.report.document import Badge, Cell, Code, Column, Document, Line, Paragraph, Table, Text, Tone

BAR_WIDTH = 24
_MARKS: dict[str, tuple[str, Tone]] = {"done": ("done", "good"), "open": ("open", "muted"), "now": ("here", "accent")}


class LessonRow(msgspec.Struct, frozen=True, kw_only=True):
    """One lesson in the table.

    Attributes:
        number: Its place.
        name: Its name.
        title: Its heading.
        level: How hard it is.
        minutes: How long it takes.
        state: ``done``, ``now`` or ``open``.
        repairs: Passed and all exercises.
        predictions: Right and all predictions, once it was run.
        notes: What the receipt will say beside: hints read, given up.
    """

    number: int
    name: str
    title: str
    level: str
    minutes: int
    state: str
    repairs: tuple[int, int]
    predictions: tuple[int, int] | None = None
    notes: str = ""


def progress_document(rows: tuple[LessonRow, ...], workspace: str) -> Document:
    """All lessons with how far each is."""
    columns = (
        Column("", "right"),
        Column("lesson"),
        Column("level"),
        Column("min", "right"),
        Column("predicted", "right"),
        Column("repaired", "right"),
        Column(""),
    )
    table = Table(columns, tuple(_row(row) for row in rows))
    place: Line = (Text("Workspace ", "muted"), Code(workspace))
    return Document(title="Lessons", blocks=(Paragraph(progress_line(rows)), table, Paragraph(place)))


def progress_line(rows: tuple[LessonRow, ...]) -> Line:
    """A bar of the lessons that are done."""
    done = sum(row.state == "done" for row in rows)
    filled = round(BAR_WIDTH * done / max(1, len(rows)))
    bar = "█" * filled + "─" * (BAR_WIDTH - filled)
    return (Text(bar, "good" if done == len(rows) else "accent"), Text(f" {done} of {len(rows)} lessons done"))


def _row(row: LessonRow) -> tuple[Cell, ...]:
    mark, tone = _MARKS[row.state]
    predicted = f"{row.predictions[0]}/{row.predictions[1]}" if row.predictions is not None else "–"
    return (
        Cell((Text(str(row.number)),)),
        Cell((Text(row.title, "strong" if row.state == "now" else "plain"), Text(f"  {row.notes}", "muted"))),
        Cell((Text(row.level, "muted"),)),
        Cell((Text(str(row.minutes), "muted"),)),
        Cell((Text(predicted),)),
        Cell((Text(f"{row.repairs[0]}/{row.repairs[1]}"),)),
        Cell((Badge(mark, tone),)),
    )
