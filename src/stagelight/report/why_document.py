"""What ``stagelight why`` shows: the cost, the functions, and the reason of each miss worth saying."""

from collections.abc import Sequence

import msgspec

from stagelight.report.account import Account, CauseGroup, FunctionAccount, LedgerAccount
from stagelight.report.again import list_command, rule_command
from stagelight.report.blind_spots import blind_spot_lines
from stagelight.report.cause_section import cause_section
from stagelight.report.document import (
    Block,
    Bullets,
    Code,
    Command,
    Document,
    Inline,
    KeyValues,
    Line,
    Paragraph,
    Section,
    Text,
)
from stagelight.report.failure_sections import advisory_section, failure_section
from stagelight.report.function_table import (
    defined_at,
    display_name,
    function_anchor,
    function_counts,
    function_table,
)
from stagelight.report.quantities import counted, seconds_text, share_text
from stagelight.report.selection import Selection

NAMES = 12
LIBRARY = "library functions and eager operations"


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How much of an account to show before the rest is folded into a count."""

    functions: int = 40
    groups: int = 12
    notes: int = 12


UNLIMITED = Limits(functions=1 << 30, groups=1 << 30, notes=1 << 30)


def why_document(account: Account, selection: Selection | None = None, limits: Limits | None = None) -> Document:
    """The whole answer.

    Args:
        account: What was read.
        selection: What was asked for; everything that is worth saying if absent.
        limits: When to fold.
    """
    if limits is None and selection is not None and selection.everything:
        limits = UNLIMITED
    blocks = (headline(account), *run_rows(account), *why_blocks(account, selection, limits))
    return Document(title="stagelight why", blocks=blocks)


def why_blocks(account: Account, selection: Selection | None = None, limits: Limits | None = None) -> list[Block]:
    """The functions, their misses and the notes, without the headline."""
    selection, limits = selection or Selection(), limits or Limits()
    chosen = chosen_functions(account, selection)
    blocks: list[Block] = []
    if chosen:
        blocks.append(function_table([f for f, _ in chosen[: limits.functions]], account.names))
    blocks += folded_lines(account, selection, len(chosen), limits)
    ended = [g for g in account.failures if g.handled < g.times]
    blocks += note_sections("What ended the program", [failure_section(g, account.names) for g in ended], limits)
    blocks += [function_section(function, groups, account, limits) for function, groups in chosen[: limits.functions]]
    if not selection.is_narrow:
        blocks += why_notes(account, limits, selection.everything)
    slugs = [group.causes[0].slug for _, groups in chosen for group in groups]
    if slugs:
        blocks.append(Command(rule_command(slugs[0]), "What a cause means, with an example:"))
    return blocks


def why_notes(account: Account, limits: Limits, everything: bool) -> list[Block]:
    """What is said beside the misses: advisories, handled failures, blind spots."""
    names = account.names
    handled = [g for g in account.failures if g.handled == g.times]
    advisories = [g for g in account.advisories if everything or g.advisory.function.own]
    library = sum(g.times for g in account.advisories) - sum(g.times for g in advisories)
    blocks = note_sections("Worth knowing", [advisory_section(g, names) for g in advisories], limits)
    if library:
        text = f"Folded: {counted(library, 'advisory', 'advisories')} on library functions. Show with --all."
        blocks.append(Paragraph((Text(text, "muted"),)))
    blocks += note_sections("Errors that the program handled", [failure_section(g, names) for g in handled], limits)
    blind = blind_spot_lines(account)
    if blind:
        blocks.append(Section((Text("Not seen in this run", "strong"),), (Bullets(blind),), level=2))
    return blocks


def headline(account: Account) -> Paragraph:
    """The one sentence: avoidable seconds of total seconds."""
    total, avoidable = account.total_s, account.avoidable_s
    if not account.functions:
        return Paragraph((Text("Nothing was traced.", "strong"), *_no_jax(account)))
    if avoidable <= 0:
        line: Line = (
            Text("Nothing avoidable.", "good"),
            Text(f" {seconds_text(total)} of tracing, lowering and compiling, all of it expected"),
        )
    else:
        line = (
            Text(f"{seconds_text(avoidable)} avoidable", "warn"),
            Text(f" of {seconds_text(total)} spent tracing, lowering and compiling ({share_text(avoidable, total)})"),
        )
    return Paragraph((*line, *_of_run(account)))


def _of_run(account: Account) -> Line:
    parts = [f", in a run of {seconds_text(account.run_s)}"] if account.run_s else []
    parts.append(f"; {seconds_text(account.inside_s)} inside Stagelight" if account.inside_s else "")
    return (Text("".join(parts) + "."),)


def _no_jax(account: Account) -> Line:
    if not account.ledgers:
        return ()
    if any(ledger.header.jax for ledger in account.ledgers):
        return (Text(" JAX was imported, but no function was traced while Stagelight watched."),)
    return (Text(" The program did not import JAX."),)


def run_rows(account: Account) -> list[Block]:
    """What ran, where, and whether it ended."""
    rows: list[tuple[str, tuple[Line, ...]]] = []
    ledgers = account.ledgers
    for ledger in ledgers[:1]:
        if ledger.header.program:
            rows.append(("program", ((Text(" ".join(ledger.header.program)),),)))
    if ledgers:
        rows.append(("with", ((Text(versions_text(ledgers[0])),),)))
    if len(ledgers) > 1:
        hosts = len({ledger.header.host for ledger in ledgers})
        rows.append(("ledgers", ((Text(f"{len(ledgers)} processes on {counted(hosts, 'host')}"),),)))
    killed = sum(not ledger.ended for ledger in ledgers)
    if killed:
        text = "the session has not ended: the program was killed, or still runs"
        if len(ledgers) > 1:
            text = f"{counted(killed, 'session has', 'sessions have')} not ended: killed, or still running"
        rows.append(("note", ((Text(text, "warn"),),)))
    return [KeyValues(tuple(rows))] if rows else []


def versions_text(ledger: LedgerAccount) -> str:
    """Versions and platform of one run."""
    header = ledger.header
    parts = [f"JAX {header.jax}" if header.jax else "no JAX", f"Python {header.python}" if header.python else ""]
    parts += [header.platform, f"Stagelight {header.stagelight}"]
    return ", ".join(part for part in parts if part)


def chosen_functions(account: Account, selection: Selection) -> list[tuple[FunctionAccount, tuple[CauseGroup, ...]]]:
    """The functions that have something to show, each with its groups."""
    chosen: list[tuple[FunctionAccount, tuple[CauseGroup, ...]]] = []
    for function in account.functions:
        if not selection.takes_function(function.function):
            continue
        groups = tuple(group for group in function.groups if selection.takes_group(group))
        if groups:
            chosen.append((function, groups))
    return chosen


def folded_lines(account: Account, selection: Selection, chosen: int, limits: Limits) -> list[Block]:
    """What is not shown, in numbers, with the option that shows it."""
    if selection.everything or selection.is_narrow:
        return []
    own = sum(f.function.own for f in account.functions)
    library = [f for f in account.functions if not f.function.own]
    parts: list[str] = []
    if chosen > limits.functions:
        parts.append(counted(chosen - limits.functions, "further function"))
    if own > chosen:
        parts.append(counted(own - chosen, "function with only expected misses", "functions with only expected misses"))
    if library:
        cost = sum(f.avoidable_s for f in library)
        avoidable = f" ({seconds_text(cost)} avoidable)" if cost else ""
        parts.append(counted(len(library), "library function or eager operation", LIBRARY) + avoidable)
    return [Paragraph((Text(f"Folded: {', '.join(parts)}. Show with --all.", "muted"),))] if parts else []


def function_section(
    function: FunctionAccount, groups: Sequence[CauseGroup], account: Account, limits: Limits
) -> Section:
    """One function with its groups, in order of cost."""
    children: list[Block] = [cause_section(group, account.names) for group in groups[: limits.groups]]
    hidden = groups[limits.groups :]
    if hidden:
        misses, cost = sum(g.misses for g in hidden), sum(g.seconds for g in hidden)
        text = f"and {counted(misses, 'more miss', 'more misses')} of {counted(len(hidden), 'other kind')}"
        children.append(Command(list_command(account, function), f"{text}, {seconds_text(cost)}:"))
    title: list[Inline] = [Text(display_name(function.function), "strong"), Text("  ")]
    title += defined_at(function.function, account.names)
    if function.totals.rerun_of_cell:
        title.append(Text("  (redefined by a cell that ran again)", "muted"))
    return Section(
        title=tuple(title),
        aside=(Text(function_counts(function), "muted"),),
        children=tuple(children),
        level=2,
        anchor=function_anchor(function.function),
    )


def note_sections(title: str, sections: Sequence[Section], limits: Limits) -> list[Block]:
    """Sections under one title, those beyond the limit folded into a count; nothing where there are none."""
    if not sections:
        return []
    children: list[Block] = [*sections[: limits.notes]]
    if len(sections) > limits.notes:
        children.append(Paragraph((Text(f"and {len(sections) - limits.notes:,} more", "muted"),)))
    return [Section(title=(Text(title, "strong"),), children=tuple(children), level=2)]


def without_match(account: Account, selection: Selection) -> Document | None:
    """What to say where nothing is of the names that were asked for: which names there are."""
    if not selection.is_narrow or any(selection.takes_named(f.function) for f in account.functions):
        return None
    names = list(dict.fromkeys(f.function.name for f in account.functions))
    line: list[Inline] = [Text("No function matches. "), Text("Traced here: " if names else "Nothing was traced.")]
    for name in names[:NAMES]:
        line += [Code(name), Text(" ")]
    if len(names) > NAMES:
        line.append(Text(f"and {len(names) - NAMES:,} more"))
    return Document(title="stagelight why", blocks=(Paragraph(tuple(line)),))
