"""What ``stagelight diff`` shows: counts and seconds before and after, and the key parts that only one run has."""

from collections.abc import Sequence

from stagelight.comparison.run_difference import seconds_of
from stagelight.model.attribution import FunctionTotals
from stagelight.model.comparison import ChangedPart, FunctionDifference, OnlyThere, RunDifference, RunFunction
from stagelight.report.cause_section import VALUE_LENGTH, change_line
from stagelight.report.document import (
    Block,
    Cell,
    Code,
    Column,
    Document,
    KeyValues,
    Line,
    Paragraph,
    Section,
    Table,
    Text,
)
from stagelight.report.file_names import FileNames
from stagelight.report.function_table import defined_at, display_name
from stagelight.report.program_section import program_sections
from stagelight.report.quantities import counted, seconds_text
from stagelight.report.run_reading import Run
from stagelight.report.visible import shortened

KEYS = 8
PARTS = 6
FUNCTIONS = 40

NO_NAMES = FileNames()


def diff_document(before: Run, after: Run, difference: RunDifference, *, everything: bool = False) -> Document:
    """The comparison.

    Args:
        before: The first run.
        after: The second run.
        difference: What differs.
        everything: Library functions too.
    """
    shown = [one for one in difference.functions if everything or one.function.own]
    folded = len(difference.functions) - len(shown)
    blocks: list[Block] = [_runs(before, after), _totals(before.functions, after.functions)]
    if difference.settings:
        blocks.append(_settings(difference.settings))
    if shown:
        blocks.append(_functions(shown[:FUNCTIONS]))
    else:
        blocks.append(Paragraph((Text("No function of your own differs.", "good"),)))
    parts = (
        [f"{counted(len(shown) - FUNCTIONS, 'further function')} with differences"] if len(shown) > FUNCTIONS else []
    )
    if folded:
        parts.append(f"{counted(folded, 'library function or eager operation', 'library functions')} with differences")
    parts += [counted(difference.same, "function that is the same", "functions that are the same")]
    show = " Show with --all." if folded else ""
    blocks.append(Paragraph((Text(f"Folded: {', '.join(parts)}.{show}", "muted"),)))
    blocks += [_section(one) for one in shown[:FUNCTIONS]]
    return Document(title="stagelight diff", blocks=tuple(blocks))


def _runs(before: Run, after: Run) -> KeyValues:
    return KeyValues((("before", (_run(before),)), ("after", (_run(after),))))


def _settings(settings: Sequence[ChangedPart]) -> Section:
    rows = tuple((one.name, (change_line(one.before, one.after),)) for one in settings)
    return Section(title=(Text("Settings that differ throughout"),), children=(KeyValues(rows),), level=2)


def _run(run: Run) -> Line:
    header = run.header
    parts = [f"JAX {header.jax}" if header.jax else "no JAX", header.platform, header.host]
    ledgers = f" ({counted(run.ledgers, 'ledger')})" if run.ledgers > 1 else ""
    return (Code(run.name), Text(f"{ledgers}  "), Text(", ".join(part for part in parts if part), "muted"))


def _totals(before: Sequence[RunFunction], after: Sequence[RunFunction]) -> Table:
    columns = (Column(""), *(Column(name, "right") for name in ("before", "after", "change")))
    rows = (
        _count_row("traces", sum(f.totals.traces for f in before), sum(f.totals.traces for f in after)),
        _count_row("compiles", sum(f.totals.compiles for f in before), sum(f.totals.compiles for f in after)),
        _count_row("slow calls", *(sum(f.totals.dispatch_misses for f in run) for run in (before, after))),
        _seconds_row("tracing", *(sum(f.totals.trace_s for f in run) for run in (before, after))),
        _seconds_row("lowering", *(sum(f.totals.lower_s for f in run) for run in (before, after))),
        _seconds_row("compiling", *(sum(f.totals.compile_s for f in run) for run in (before, after))),
        _seconds_row("avoidable", *(sum(f.totals.avoidable_s for f in run) for run in (before, after))),
    )
    return Table(columns, rows)


def _count_row(name: str, before: int, after: int) -> tuple[Cell, ...]:
    change = f"{after - before:+,}" if after != before else "–"
    return _row(name, f"{before:,}", f"{after:,}", change, after - before)


def _seconds_row(name: str, before: float, after: float) -> tuple[Cell, ...]:
    change = f"{'+' if after > before else '−'}{seconds_text(abs(after - before))}" if after != before else "–"
    return _row(name, seconds_text(before), seconds_text(after), change, 0)


def _row(name: str, before: str, after: str, change: str, worse: float) -> tuple[Cell, ...]:
    tone = "warn" if worse > 0 else "good" if worse < 0 else "plain"
    return (Cell((Text(name),)), Cell((Text(before),)), Cell((Text(after),)), Cell((Text(change, tone),)))


def _functions(differences: Sequence[FunctionDifference]) -> Table:
    columns = (
        Column("function"),
        Column("where", place=True),
        Column("traces", "right"),
        Column("compiles", "right"),
        Column("before", "right"),
        Column("after", "right"),
    )
    return Table(columns, tuple(_function_row(one) for one in differences))


def _function_row(one: FunctionDifference) -> tuple[Cell, ...]:
    old, new = one.before, one.after
    return (
        Cell((Code(display_name(one.function), "strong"),)),
        Cell(defined_at(one.function, NO_NAMES)),
        Cell((_pair(old, new, "traces"),)),
        Cell((_pair(old, new, "compiles"),)),
        Cell((Text(seconds_text(seconds_of(old)) if old else "absent", "plain" if old else "muted"),)),
        Cell((Text(seconds_text(seconds_of(new)) if new else "absent", "plain" if new else "muted"),)),
    )


def _pair(before: FunctionTotals | None, after: FunctionTotals | None, name: str) -> Text:
    old, new = (getattr(totals, name) if totals else 0 for totals in (before, after))
    if old == new:
        return Text(f"{old:,}", "muted")
    return Text(f"{old:,} → {new:,}", "warn" if new > old else "good")


def _section(one: FunctionDifference) -> Section:
    children: list[Block] = []
    if one.before is None or one.after is None:
        there = one.only_after or one.only_before
        text = f"traced only {'after' if one.after else 'before'}, with {counted(len(there), 'key')}"
        children.append(Paragraph((Text(text),)))
    else:
        children += [*_only("only before", one.only_before), *_only("only after", one.only_after)]
    if one.components:
        lines = tuple(
            (Code(c.name), Text(f"  for {counted(c.keys, 'key')} that both runs have")) for c in one.components
        )
        children.append(KeyValues((("persistent cache key", lines),)))
    children += program_sections(one.programs)
    if one.keys_folded:
        text = f"{one.keys_folded:,} further keys were not compared."
        children.append(Paragraph((Text(text, "muted"),)))
    if not children:
        children.append(Paragraph((Text("The same keys, traced or compiled another number of times.", "muted"),)))
    title = (Text(display_name(one.function), "strong"), Text("  "), *defined_at(one.function, NO_NAMES))
    return Section(title=title, children=tuple(children), level=2)


def _only(label: str, keys: Sequence[OnlyThere]) -> list[Block]:
    """Keys that one run has, those that differ in the same parts together."""
    groups: dict[tuple[str, ...], list[OnlyThere]] = {}
    for there in sorted(keys, key=lambda there: -there.key.seconds):
        groups.setdefault(tuple(part.name for part in there.changed), []).append(there)
    return [_group(label, names, group) for names, group in groups.items()]


def _group(label: str, names: tuple[str, ...], group: Sequence[OnlyThere]) -> Section:
    rows: list[tuple[str, tuple[Line, ...]]] = []
    for index, name in enumerate(names[:PARTS]):
        changes = dict.fromkeys((there.changed[index].before, there.changed[index].after) for there in group)
        lines = [change_line(before, after) for before, after in list(changes)[:KEYS]]
        if len(changes) > KEYS:
            lines.append((Text(f"and {len(changes) - KEYS:,} more", "muted"),))
        rows.append((name, tuple(lines)))
    if len(names) > PARTS:
        text = shortened(", ".join(names[PARTS:]), VALUE_LENGTH)
        rows.append(("", ((Text(f"and {text}", "muted"),),)))
    if not rows:
        rows.append(("", ((Text("The other run has no key of this function.", "muted"),),)))
    seconds = (Text(seconds_text(sum(there.key.seconds for there in group)), "muted"),)
    title = (Text(f"{label}: {counted(len(group), 'key')}"),)
    return Section(title=title, aside=seconds, children=(KeyValues(tuple(rows)),), level=3)
