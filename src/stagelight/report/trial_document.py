"""Predictions and controlled experiments as documents."""

from stagelight.model.attribution import Cause
from stagelight.model.trial import Experiment, Observation, Prediction, Predictions
from stagelight.report.cause_section import change_line
from stagelight.report.document import Badge, Block, Bullets, Cell, Code, Column, Document, Line, Paragraph, Table, Text
from stagelight.report.quantities import counted

FIRST_OF = 3


def predictions_document(predictions: Predictions) -> Document:
    """What each call would do, one row a call."""
    traced = sum(call.traces for call in predictions.calls)
    head = (
        Code(predictions.name, "strong"),
        Text(f": {traced:,} of {counted(len(predictions.calls), 'call')} would trace."),
    )
    columns = (Column("call", "right"), Column("would"), Column("why"))
    table = Table(columns, tuple(_prediction_row(call) for call in predictions.calls))
    blocks: list[Block] = [Paragraph(head), table]
    if predictions.notes:
        blocks.append(Bullets(tuple((Text(note, "muted"),) for note in predictions.notes)))
    return Document(title=f"predict {predictions.name}", blocks=tuple(blocks))


def _prediction_row(call: Prediction) -> tuple[Cell, ...]:
    if call.traces:
        would: Line = (Text("trace", "warn"),)
    elif call.like:
        would = (Text(f"be cached, like call {call.like}", "good"),)
    else:
        would = (Text("be cached", "good"),)
    return (Cell((Text(str(call.call)),)), Cell(would), Cell(_causes_line(call.causes)))


def experiment_document(experiment: Experiment) -> Document:
    """Which factor traced, compiled, or did neither."""
    head = (Code(experiment.name, "strong"), Text(": one factor changed at a time against the base call."))
    columns = (
        Column("factor"),
        Column("before", code=True),
        Column("after", code=True),
        *(Column(name, "right") for name in ("traces", "compiles", "slow calls")),
        Column("why"),
    )
    rows = tuple(_observation_row(row) for row in (experiment.base, *experiment.rows))
    blocks: list[Block] = [Paragraph(head), Table(columns, rows)]
    if experiment.jax:
        note = f"Counts of this function in this process under JAX {experiment.jax}; another version may differ."
        blocks.append(Paragraph((Text(note, "muted"),)))
    return Document(title=f"experiment {experiment.name}", blocks=tuple(blocks))


def _observation_row(row: Observation) -> tuple[Cell, ...]:
    counts = (row.traces, row.compiles, row.slow_dispatches)
    why: Line = (Text(row.error, "bad"),) if row.error else _causes_line(row.causes)
    return (
        Cell((Code(row.factor, "strong"),)),
        Cell((Code(row.before),)),
        Cell((Code(row.after),)),
        *(Cell((Text(f"{number:,}", "warn" if number else "muted"),)) for number in counts),
        Cell(why),
    )


def _causes_line(causes: tuple[Cause, ...]) -> Line:
    line: Line = ()
    for cause in causes[:FIRST_OF]:
        line = (*line, Badge(cause.slug, "muted"))
        if cause.path:
            line = (*line, Code(cause.path), Text(" "))
        if cause.before or cause.after:
            line = (*line, *change_line(cause.before, cause.after), Text(" "))
    if len(causes) > FIRST_OF:
        line = (*line, Text(f"and {len(causes) - FIRST_OF} more", "muted"))
    return line or (Text("–", "muted"),)
