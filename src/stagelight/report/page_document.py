"""What the page of a report shows, and how much of it."""

from collections.abc import Sequence

import msgspec

from stagelight.report.account import Account, CauseGroup, FunctionAccount
from stagelight.report.again import list_command, misses_command, why_command
from stagelight.report.blind_spots import blind_spot_lines
from stagelight.report.cause_section import cause_section, place
from stagelight.report.document import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Command,
    Document,
    Figure,
    Figures,
    Fold,
    Inline,
    KeyValues,
    Paragraph,
    Section,
    Share,
    Split,
    Table,
    Text,
)
from stagelight.report.excerpt import function_excerpt, line_text
from stagelight.report.failure_sections import advisory_section, failure_section
from stagelight.report.file_names import FileNames
from stagelight.report.function_table import (
    defined_at,
    display_name,
    function_anchor,
    function_counts,
    function_table,
)
from stagelight.report.page_timeline import timeline_blocks
from stagelight.report.quantities import counted, seconds_text, share_text
from stagelight.report.selection import is_worth_saying
from stagelight.report.specialization_table import columns_of, specialization_table
from stagelight.report.visible import shortened
from stagelight.report.why_document import LIBRARY, headline, run_rows, versions_text

OPEN_FUNCTIONS = 3
SITES = 12
LEAD = (
    "JAX traces a Python function, lowers and compiles it once for each cache key. What follows is every time that "
    "happened again, and why. Avoidable is what no first use of a function explains."
)


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """How much a page holds before the rest is folded into a count and a command.

    Attributes:
        functions: Functions with a section of their own.
        rows: Rows of the function table.
        groups: Groups of misses over all functions.
        groups_each: Groups of misses of one function.
        specializations: Specializations of one function.
        cells: Cells of all specialization tables; the costliest functions use them first.
        spans: Spans of one lane.
        notes: Advisories, and failures.
    """

    functions: int = 250
    rows: int = 500
    groups: int = 800
    groups_each: int = 24
    specializations: int = 200
    cells: int = 60_000
    spans: int = 2000
    notes: int = 200

    def halved(self) -> "Budget":
        """Half of everything; a page that is too large is made again with it."""
        return Budget(**{name: max(1, getattr(self, name) // 2) for name in self.__struct_fields__})


def page_document(account: Account, budget: Budget | None = None) -> Document:
    """The page.

    Args:
        account: What was read, with timeline and specializations.
        budget: How much to show.
    """
    budget = budget or Budget()
    names = account.names
    ended = [failure_section(g, names) for g in account.failures if g.handled < g.times]
    handled = [failure_section(g, names) for g in account.failures if g.handled == g.times]
    blocks: list[Block] = [headline(account), _figures(account), _split(account)]
    blocks += _notes("What ended the program", "ended", ended, account, budget)
    blocks += _functions(account, budget)
    blocks += timeline_blocks(account, budget.spans)
    blocks += _details(account, budget)
    advisories = [advisory_section(group, names) for group in account.advisories]
    blocks += _notes("Worth knowing", "advisories", advisories, account, budget)
    blocks += _notes("Errors that the program handled", "failures", handled, account, budget)
    blocks += _blind_spots(account)
    blocks += _runs(account)
    return Document(title=_title(account), blocks=tuple(blocks), lead=LEAD)


def _title(account: Account) -> str:
    program = account.ledgers[0].header.program if account.ledgers else ()
    name = account.names.short(program[0]) if program else "Ledger"
    return shortened(" ".join((name, *program[1:])), 80)


def _figures(account: Account) -> Figures:
    functions = account.functions
    avoidable = account.avoidable_s
    figures = [
        Figure(seconds_text(avoidable), "avoidable", "warn" if avoidable else "good"),
        Figure(seconds_text(account.total_s), "staging in all"),
        Figure(f"{sum(f.totals.traces for f in functions):,}", "traces"),
        Figure(f"{sum(f.totals.compiles for f in functions):,}", "compiles"),
        Figure(f"{sum(f.totals.dispatch_misses for f in functions):,}", "slow calls"),
        Figure(seconds_text(account.run_s), "whole run"),
        Figure(seconds_text(account.inside_s), "inside Stagelight"),
    ]
    return Figures(tuple(figures))


def _split(account: Account) -> Split:
    totals = [f.totals for f in account.functions]
    parts = [
        ("trace", sum(t.trace_s for t in totals)),
        ("lower", sum(t.lower_s for t in totals)),
        ("compile", sum(t.compile_s for t in totals)),
        ("dispatch", sum(t.dispatch_s for t in totals)),
    ]
    staging = sum(seconds for _, seconds in parts)
    if len(account.ledgers) == 1 and account.run_s > staging:
        parts.append(("rest", account.run_s - staging))
    whole = sum(seconds for _, seconds in parts)
    labels = {"dispatch": "slow dispatch", "rest": "the rest of the run"}
    shares = tuple(
        Share(labels.get(kind, kind), seconds, f"{seconds_text(seconds)} · {share_text(seconds, whole)}", kind)
        for kind, seconds in parts
        if seconds > 0
    )
    return Split("Where the time went", shares)


def _functions(account: Account, budget: Budget) -> list[Block]:
    functions = account.functions
    own = [f for f in functions if f.function.own][: budget.rows]
    library = [f for f in functions if not f.function.own][: budget.rows]
    children: list[Block] = []
    if own:
        children.append(function_table(own, account.names, jumps=True))
    if library:
        table = function_table(library, account.names, jumps=True)
        cost, avoidable = sum(f.seconds for f in library), sum(f.avoidable_s for f in library)
        title = f"{counted(len(library), 'library function or eager operation', LIBRARY)}: {seconds_text(cost)}"
        title += f", {seconds_text(avoidable)} avoidable" if avoidable else ""
        children.append(Fold((Text(title),), (table,), open=not own))
    hidden = len(functions) - len(own) - len(library)
    if hidden:
        children.append(Command(f"{why_command(account)} --all", f"{hidden:,} functions are folded. List them:"))
    return [Section((Text("Functions by avoidable cost"),), tuple(children), anchor="functions")] if children else []


def _details(account: Account, budget: Budget) -> list[Block]:
    cells, groups_left = budget.cells, budget.groups
    folds: list[Block] = []
    for index, function in enumerate(account.functions[: budget.functions]):
        rows = _rows_for(function, cells, budget)
        cells -= rows * columns_of(function)
        groups = _groups_for(function, groups_left, budget)
        groups_left -= len(groups)
        folds.append(_function_fold(account, function, groups, rows, index < OPEN_FUNCTIONS))
    return [Section((Text("Why, function by function"),), tuple(folds), anchor="why")] if folds else []


def _rows_for(function: FunctionAccount, cells: int, budget: Budget) -> int:
    """As many specializations as the remaining cells allow; the costliest few in any case."""
    allowed = max(min(8, budget.specializations), cells // columns_of(function))
    return min(len(function.specializations), budget.specializations, allowed)


def _groups_for(function: FunctionAccount, left: int, budget: Budget) -> Sequence[CauseGroup]:
    allowed = min(budget.groups_each, max(min(3, budget.groups_each), left))
    return function.groups[:allowed]


def _function_fold(
    account: Account, function: FunctionAccount, groups: Sequence[CauseGroup], rows: int, is_open: bool
) -> Section:
    names = account.names
    children: list[Block] = [cause_section(group, names) for group in groups if is_worth_saying(group)]
    expected = [cause_section(group, names) for group in groups if not is_worth_saying(group)]
    hidden = function.groups[len(groups) :]
    if hidden:
        text = f"{counted(len(hidden), 'further kind')} of misses, {seconds_text(sum(g.seconds for g in hidden))}:"
        children.append(Command(list_command(account, function), text))
    children += _specializations(account, function, rows)
    excerpt = function_excerpt(function.function.file, function.function.line, names)
    if excerpt is not None:
        children.append(excerpt)
    children += _call_sites(function, names)
    if expected:
        children.append(Fold((Text(f"{counted(len(expected), 'expected kind')} of misses"),), tuple(expected)))
    title: list[Inline] = [Text(display_name(function.function), "strong"), Text("  ")]
    title += defined_at(function.function, names)
    aside = Text(f"{function_counts(function)}, {seconds_text(function.seconds)}", "muted")
    fold = Fold(
        (*title, Text("  "), aside),
        tuple(children),
        open=is_open and function.function.own and bool(function.avoidable_s),
    )
    return Section((), (fold,), level=2, anchor=function_anchor(function.function))


def _specializations(account: Account, function: FunctionAccount, rows: int) -> list[Block]:
    known = len(function.specializations)
    if known < 2:
        return []
    table = specialization_table(function, rows, account.names)
    folded = max(known + function.specializations_folded, function.totals.specializations) - rows
    title = f"{counted(rows, 'specialization')}"
    if folded:
        title = f"{rows:,} costliest of {rows + folded:,} specializations"
    children: list[Block] = [table]
    if folded:
        children.append(Command(misses_command(account, function), f"{folded:,} are folded. List them all:"))
    return [Fold((Text(title),), tuple(children), open=rows <= 12)]


def _call_sites(function: FunctionAccount, names: FileNames) -> list[Block]:
    counts: dict[object, int] = {}
    for group in function.groups:
        for site, times in group.sites:
            if site.file:
                counts[site] = counts.get(site, 0) + times
    if not counts:
        return []
    sites = sorted(counts.items(), key=lambda item: -item[1])[:SITES]
    rows = tuple(
        (
            Cell((place(site, names),)),  # pyright: ignore[reportArgumentType]
            Cell((Code(shortened(line_text(site), 100)),)),  # pyright: ignore[reportArgumentType]
            Cell((Text(f"{times:,}"),), order=float(times)),
        )
        for site, times in sites
    )
    table = Table((Column("called from"), Column("line", code=True), Column("misses", "right", True)), rows)
    more = f", the most frequent of {len(counts):,}" if len(counts) > SITES else ""
    return [Fold((Text(f"{counted(len(sites), 'call site')}{more}"),), (table,), open=False)]


def _notes(title: str, anchor: str, sections: Sequence[Section], account: Account, budget: Budget) -> list[Block]:
    if not sections:
        return []
    children: list[Block] = [*sections[: budget.notes]]
    if len(sections) > budget.notes:
        text = f"{len(sections) - budget.notes:,} more are folded. List them:"
        children.append(Command(f"{why_command(account)} --format json", text))
    return [Section((Text(title),), tuple(children), anchor=anchor)]


def _blind_spots(account: Account) -> list[Block]:
    lines = blind_spot_lines(account)
    body: Block = Bullets(lines) if lines else Paragraph((Text("Nothing is known to be missing from this ledger."),))
    return [Section((Text("Not seen in this run"),), (body,), anchor="blind-spots")]


def _runs(account: Account) -> list[Block]:
    if len(account.ledgers) == 1:
        header = account.ledgers[0].header
        rows = [
            ("started", ((Text(header.started),),)),
            ("host", ((Text(f"{header.host}, process {header.process}"),),)),
        ]
        children = (*run_rows(account), KeyValues(tuple(row for row in rows if row[1][0][0].text)))
    else:
        columns = tuple(Column(name) for name in ("#", "ledger", "host", "process", "run", "end", "with"))
        children = (Table(columns, tuple(_run_row(n, account) for n in range(len(account.ledgers)))),)
    return [Section((Text("The run"),), children, anchor="run")]


def _run_row(number: int, account: Account) -> tuple[Cell, ...]:
    ledger = account.ledgers[number]
    end = f"exit code {ledger.exit_code}" if ledger.exit_code is not None else "ended" if ledger.ended else "no end"
    header = ledger.header
    texts = (str(number), ledger.path, header.host, str(header.process), seconds_text(ledger.run_s), end)
    return tuple(Cell((Text(text),)) for text in (*texts, versions_text(ledger)))
