"""What a bucketed function did, as a document: its buckets, its masks, and what ran without padding."""

from stagelight.model.bucket import Bucket, BucketReport, ExactRun, Mask
from stagelight.report.document import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Document,
    Paragraph,
    Place,
    Section,
    Table,
    Text,
)
from stagelight.report.quantities import counted, seconds_text


def bucket_document(report: BucketReport) -> Document:
    """A bucketed function: buckets with calls, padding and compile time, every mask with its line, and exact runs."""
    head = Paragraph(
        (
            Code(report.function, "strong"),
            Text("  "),
            Place(report.file, report.line),
            Text(f": {counted(report.calls, 'call')}, {counted(report.compiles, 'executable')}."),
        )
    )
    blocks: list[Block] = [head]
    if report.refused:
        blocks.append(Paragraph((Text(f"It cannot be bucketed: {report.refused}", "bad"),)))
    if report.buckets:
        blocks.append(_buckets(report))
    if report.masks:
        blocks.append(_masks(report))
    if report.exact:
        blocks.append(_exact(report.exact))
    if report.guards:
        lines = tuple((Code(guard), Text(" must not be zero")) for guard in report.guards)
        blocks.append(Section(title=(Text("Conditions on sizes"),), children=(Bullets(lines),), level=3))
    return Document(title=f"buckets of {report.function}", blocks=tuple(blocks))


def _buckets(report: BucketReport) -> Table:
    columns = (
        Column("bucket", code=True),
        Column("calls", "right"),
        Column("sizes", "right"),
        Column("padding", "right"),
        Column("executables", "right"),
        Column("compile", "right"),
        Column("first call"),
    )
    return Table(columns, tuple(_bucket_row(bucket) for bucket in report.buckets))


def _bucket_row(bucket: Bucket) -> tuple[Cell, ...]:
    name = ", ".join(f"{c.dimension}={c.capacity}" for c in bucket.capacities)
    first = "compiled ahead" if bucket.warmed else "compared" if bucket.checked else "not compared"
    texts = (
        f"{bucket.calls:,}",
        f"{len(bucket.sizes):,}",
        f"{bucket.padding_share:.0%}",
        f"{bucket.compiles:,}",
        seconds_text(bucket.compile_s),
    )
    return (Cell((Code(name, "strong"),)), *(Cell((Text(text),)) for text in texts), Cell((Text(first, "muted"),)))


def _masks(report: BucketReport) -> Section:
    share = f"{len(report.masks):,} of {report.ragged_equations:,} equations with a ragged axis need a mask."
    columns = (Column("primitive", code=True), Column("axes", code=True), Column("padding holds", code=True),
               Column("line", place=True), Column("why"))  # fmt: skip
    table = Table(columns, tuple(_mask_row(mask) for mask in report.masks))
    return Section(title=(Text("Masks"),), children=(Paragraph((Text(share, "muted"),)), table), level=3)


def _mask_row(mask: Mask) -> tuple[Cell, ...]:
    where = (Place(mask.file, mask.line),) if mask.file else (Text("unknown", "muted"),)
    return (
        Cell((Code(mask.primitive),)),
        Cell((Code(", ".join(mask.dimensions)),)),
        Cell((Code(mask.value),)),
        Cell(where),
        Cell((Text(mask.why),)),
    )


def _exact(runs: tuple[ExactRun, ...]) -> Section:
    lines = tuple(
        (Code(", ".join(map(str, run.sizes))), Text(f" in {counted(run.calls, 'call')}: {run.why}")) for run in runs
    )
    return Section(title=(Text("Sizes that ran without padding"),), children=(Bullets(lines),), level=3)
