"""All receipts of a learner as one document."""

from collections.abc import Sequence

from stagelight.model.receipt import Judged, Receipt, SealedReceipt
from stagelight.report.document import (
    Block,
    Cell,
    Code,
    Column,
    Command,
    Document,
    Figure,
    Figures,
    Fold,
    KeyValues,
    Line,
    Section,
    Source,
    Table,
    Text,
)
from stagelight.report.lesson_document import judged_rows
from stagelight.report.quantities import counted
from stagelight.report.verdict_document import counts_table, output_lines


def portfolio_document(receipts: Sequence[SealedReceipt], titles: dict[str, str]) -> Document:
    """What was predicted, run, repaired and explained, lesson by lesson.

    Args:
        receipts: The receipts, in the order of the course.
        titles: Heading of each lesson by its name.
    """
    predictions = [one for sealed in receipts for one in sealed.receipt.predictions]
    repairs = [one for sealed in receipts for one in sealed.receipt.repairs]
    right = sum(one.agrees for one in predictions)
    figures = Figures(
        (
            Figure(f"{len(receipts)}", "lessons with a receipt", "good"),
            Figure(f"{right} of {len(predictions)}", "predictions right"),
            Figure(f"{len(repairs)}", "repairs passed"),
            Figure(f"{sum(one.hints for one in repairs)}", "hints read"),
            Figure(f"{sum(one.gave_up for one in repairs)}", "given up"),
        )
    )
    summary = Section(title=(Text("Summary"),), anchor="summary", children=(figures, _overview(receipts, titles)))
    sections = tuple(_lesson_section(sealed, titles) for sealed in receipts)
    lead = (
        "Each lesson's receipt holds the programs, what they printed and what the ledger said, and is bound by hashes. "
        "Run it all again with stagelight learn verify."
    )
    return Document(title="Portfolio", lead=lead, blocks=(summary, *sections))


def _overview(receipts: Sequence[SealedReceipt], titles: dict[str, str]) -> Table:
    columns = (
        Column("lesson"), Column("predicted", "right"), Column("repaired", "right"), Column("result"),
        Column("JAX", code=True), Column("backend"), Column("receipt", code=True),
    )  # fmt: skip
    return Table(columns, tuple(_row(sealed, titles) for sealed in receipts))


def _row(sealed: SealedReceipt, titles: dict[str, str]) -> tuple[Cell, ...]:
    receipt = sealed.receipt
    right = sum(one.agrees for one in receipt.predictions)
    tone = "good" if receipt.result == "passed" else "warn"
    return (
        Cell((Text(titles.get(receipt.lesson, receipt.lesson), "strong"),)),
        Cell((Text(f"{right}/{len(receipt.predictions)}"),)),
        Cell((Text(str(len(receipt.repairs))),)),
        Cell((Text(receipt.result, tone),)),
        Cell((Code(receipt.surroundings.jax),)),
        Cell((Text(f"{receipt.surroundings.backend}: {', '.join(receipt.surroundings.devices)}"),)),
        Cell((Code(sealed.digest[:16]),)),
    )


def _lesson_section(sealed: SealedReceipt, titles: dict[str, str]) -> Section:
    receipt = sealed.receipt
    blocks: list[Block] = [
        _judged_section("Predicted, then seen", receipt.predictions),
        counts_table(receipt.functions),
        KeyValues(tuple(_facts(receipt, sealed.digest))),
    ]
    blocks += [_repair_fold(receipt, index) for index in range(len(receipt.repairs))]
    if receipt.checkpoints:
        blocks.append(_judged_section("Checkpoint", receipt.checkpoints))
    blocks.append(_fold("The lesson's program and what it printed", receipt.source, receipt.output))
    blocks.append(Command(receipt.command, "Run everything in this receipt again:"))
    title = titles.get(receipt.lesson, receipt.lesson)
    aside: Line = (Text(receipt.result, "good" if receipt.result == "passed" else "warn"),)
    return Section(title=(Text(title),), anchor=receipt.lesson, aside=aside, children=tuple(blocks))


def _facts(receipt: Receipt, digest: str) -> list[tuple[str, tuple[Line, ...]]]:
    where = receipt.surroundings
    versions = f"Python {where.python}, JAX {where.jax}, jaxlib {where.jaxlib}, Stagelight {where.stagelight}"
    rows: list[tuple[str, tuple[Line, ...]]] = []
    if receipt.explanation:
        rows.append(("in my words", ((Text(receipt.explanation),),)))
    rows += [
        ("recorded", ((Text(receipt.recorded_at),),)),
        ("on", ((Text(f"{versions}; {where.backend}: {', '.join(where.devices)}; {where.platform}"),),)),
        ("receipt", ((Code(digest),),)),
    ]
    return rows


def _judged_section(title: str, judged: Sequence[Judged]) -> Section:
    right = sum(one.agrees for one in judged)
    aside: Line = (Text(f"{right} of {len(judged)} right", "muted"),)
    return Section(title=(Text(title),), aside=aside, children=(judged_rows(judged, {}),), level=3)


def _repair_fold(receipt: Receipt, index: int) -> Fold:
    one = receipt.repairs[index]
    notes = [one.level, counted(one.attempts, "attempt"), *([counted(one.hints, "hint")] if one.hints else [])]
    notes += ["solution seen before it passed"] if one.gave_up else []
    title: Line = (Text("Repair "), Code(one.name, "strong"), Text(f"  {', '.join(notes)}", "muted"))
    return Fold(title, (_source(one.source), counts_table(one.functions)))


def _fold(title: str, source: str, output: str) -> Fold:
    printed = KeyValues((("printed", output_lines(output)),))
    return Fold((Text(title),), (_source(source), printed))


def _source(text: str) -> Source:
    return Source(file="", first_line=1, lines=tuple(text.rstrip("\n").splitlines()))
