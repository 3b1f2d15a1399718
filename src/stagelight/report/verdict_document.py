"""What the lab says of a program that it checked, as a document."""

from stagelight.model.examination import FunctionCounts, Verdict
from stagelight.report.document import Badge, Cell, Code, Column, Document, KeyValues, Line, Paragraph, Table, Text
from stagelight.report.quantities import counted
from stagelight.report.visible import shortened

PASSED = "passed"
SHOWN_OUTPUT_LINES = 12
LINE_LENGTH = 200


def verdict_document(verdict: Verdict, title: str) -> Document:
    """A verdict: what is wrong or right, on what evidence, what to do, what was printed.

    Args:
        verdict: The verdict.
        title: What was checked.
    """
    is_passed = verdict.kind == PASSED
    head: Line = (Text(f"{title}  ", "strong"), Badge(verdict.kind, "good" if is_passed else "bad"))
    rows: list[tuple[str, tuple[Line, ...]]] = []
    if verdict.message:
        rows.append(("seen", tuple((Text(line),) for line in verdict.message.splitlines())))
    if verdict.advice:
        rows.append(("to do", ((Text(verdict.advice),),)))
    if not is_passed and verdict.output.strip():
        rows.append(("printed", output_lines(verdict.output)))
    return Document(title=title, blocks=(Paragraph(head), KeyValues(tuple(rows))))


def output_lines(output: str) -> tuple[Line, ...]:
    """What a program printed, its last lines."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    shown: tuple[Line, ...] = tuple((Code(shortened(line, LINE_LENGTH)),) for line in lines[-SHOWN_OUTPUT_LINES:])
    hidden = len(lines) - len(shown)
    return ((Text(f"({counted(hidden, 'line')} before these)", "muted"),), *shown) if hidden else shown


def counts_table(functions: tuple[FunctionCounts, ...]) -> Table:
    """Calls against traces, one row a function."""
    columns = (
        Column("function", code=True),
        *(Column(name, "right") for name in ("calls", "traces", "compiles")),
        Column("why"),
    )
    return Table(columns, tuple(_counts_row(one) for one in functions))


def _counts_row(one: FunctionCounts) -> tuple[Cell, ...]:
    slugs = ", ".join(causes[0].slug for causes in one.causes[:4])
    more = f" and {len(one.causes) - 4} more" if len(one.causes) > 4 else ""
    return (
        Cell((Code(one.name, "strong"),)),
        *(Cell((Text(f"{number:,}"),)) for number in (one.calls, one.traces, one.compiles)),
        Cell((Text(slugs + more, "muted"),)),
    )
