"""An explanation, a difference and a report of repairs as documents, for every medium that shows documents."""

from stagelight.model.explanation import ExplainedFunction, Explanation, TraceFailure
from stagelight.model.repair import Repair, RepairReport
from stagelight.report.document import (
    Badge,
    Block,
    Bullets,
    Code,
    Document,
    Fold,
    KeyValues,
    Line,
    Paragraph,
    Place,
    Section,
    Source,
    Text,
)
from stagelight.report.explanation_lines import ExplainedLine, explained_lines
from stagelight.report.repair_terminal import coverage_lines


def explanation_document(explanation: Explanation) -> Document:
    """One function under one call: source with what each line made, helpers folded, and why the trace failed."""
    entry = explanation.functions[0]
    blocks: list[Block] = [_source(explanation, 0)]
    if explanation.failure is not None:
        blocks.append(_failure(explanation.failure))
    blocks += [
        Fold(title=(Code(helper.function),), children=(_source(explanation, index),))
        for index, helper in enumerate(explanation.functions[1:], start=1)
    ]
    rows = _rows(explanation)
    if rows:
        blocks.append(KeyValues(rows))
    title = (Code(explanation.call, "strong"),)
    aside = (Place(entry.file, entry.first_line, entry.function),)
    section = Section(title=title, children=tuple(blocks), level=2, aside=aside)
    return Document(title=explanation.call, blocks=(section,), lead=f"Traced by JAX {explanation.jax_version}.")


def repair_document(report: RepairReport) -> Document:
    """What can be done about one function: each repair with its diff and what was compared, and what was refused."""
    blocks: list[Block] = [_repair(repair) for repair in report.offered]
    if report.refused:
        lines: tuple[Line, ...] = tuple((Badge(r.kind, "warn"), Text(f" {r.reason}")) for r in report.refused)
        blocks.append(Section(title=(Text("Refused"),), children=(Bullets(lines),), level=3))
    if not blocks:
        blocks.append(Paragraph((Text("It traces without error, and prints nothing that comes from its arguments."),)))
    aside = (Place(report.file, report.line, report.function),)
    return Document(
        title=report.call,
        blocks=(Section(title=(Code(report.call, "strong"),), children=tuple(blocks), level=2, aside=aside),),
    )


def _source(explanation: Explanation, index: int) -> Source:
    function: ExplainedFunction = explanation.functions[index]
    marks = [(line.number, mark) for line in explained_lines(explanation, index) if (mark := _mark(line))]
    return Source(function.file, function.first_line, function.lines, tuple(marks))


def _mark(line: ExplainedLine) -> str:
    fails = ["fails here"] if line.failing else []
    effects = [f"{effect} ran while tracing" for effect in line.effects]
    return " · ".join([*fails, *line.equations, *effects])


def _failure(found: TraceFailure) -> Section:
    failure = found.failure
    line: Line = (Code(failure.expression), Text(" flows from "), Code(", ".join(failure.arguments)))
    children: list[Block] = [Paragraph(line if failure.arguments else line[:1])]
    if found.operands:
        children.append(KeyValues(tuple((text, ((Code(aval),),)) for text, aval in found.operands)))
    if found.reason:
        children.append(Paragraph((Text(found.reason),)))
    if found.ways_out:
        children.append(Bullets(tuple((Text(way),) for way in found.ways_out)))
    title = (Badge(failure.slug, "bad"), Text(f" {failure.error}"))
    place = (Place(failure.site.file, failure.site.line, failure.site.function),)
    return Section(title=title, children=tuple(children), level=3, aside=place)


def _rows(explanation: Explanation) -> tuple[tuple[str, tuple[Line, ...]], ...]:
    rows: list[tuple[str, tuple[Line, ...]]] = []
    if explanation.static:
        rows.append(("static", tuple((Code(f"{name} = {value}"),) for name, value in explanation.static)))
    if explanation.constants:
        captured = tuple((Code(aval), Text(f" {size:,} bytes baked in")) for aval, size in explanation.constants)
        rows.append(("captured", captured))
    if explanation.notes:
        rows.append(("note", tuple((Text(note),) for note in explanation.notes)))
    return tuple(rows)


def _repair(repair: Repair) -> Section:
    diff = Source(repair.kind, 1, tuple(repair.diff.splitlines()))
    compared = Bullets(tuple((Text(line),) for line in coverage_lines(repair)))
    title = (Badge(repair.kind, "good"), Text(f" {repair.title}"))
    return Section(title=title, children=(diff, compared), level=3)
