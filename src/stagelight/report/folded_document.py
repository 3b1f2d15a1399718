"""An account as a document that folds: one line to begin with, the rest behind it."""

from stagelight.report.account import Account
from stagelight.report.document import Block, Document, Fold, Inline, Section, Text
from stagelight.report.failure_sections import failure_section
from stagelight.report.function_table import defined_at, display_name, function_counts, function_table
from stagelight.report.quantities import counted, seconds_text
from stagelight.report.selection import Selection
from stagelight.report.why_document import (
    Limits,
    chosen_functions,
    folded_lines,
    function_section,
    note_sections,
    why_notes,
)

LIMITS = Limits(functions=20, groups=8, notes=8)


def folded_document(account: Account, *, everything: bool = False) -> Document:
    """The document.

    Args:
        account: What was read.
        everything: Expected misses and library functions too.
    """
    selection = Selection(everything=everything)
    chosen = chosen_functions(account, selection)
    blocks: list[Block] = []
    if chosen:
        blocks.append(function_table([function for function, _ in chosen[: LIMITS.functions]], account.names))
    for function, groups in chosen[: LIMITS.functions]:
        section = function_section(function, groups, account, LIMITS)
        title: list[Inline] = [Text(display_name(function.function), "strong"), Text("  ")]
        title += defined_at(function.function, account.names)
        if function.totals.rerun_of_cell:
            title.append(Text("  its cell ran again", "accent"))
        title.append(Text(f"  {function_counts(function)}, {seconds_text(function.avoidable_s)} avoidable", "muted"))
        blocks.append(Fold(tuple(title), section.children))
    ended = [failure_section(group, account.names) for group in account.failures if group.handled < group.times]
    notes = [*note_sections("What it ended with", ended, LIMITS), *why_notes(account, LIMITS, everything)]
    blocks += [Fold(note.title, note.children) if isinstance(note, Section) else note for note in notes]
    blocks += folded_lines(account, selection, len(chosen), LIMITS)
    return Document(title="stagelight", blocks=(Fold(_first_line(account), tuple(blocks)),))


def _first_line(account: Account) -> tuple[Inline, ...]:
    traces = sum(function.totals.traces for function in account.functions)
    compiles = sum(function.totals.compiles for function in account.functions)
    name = Text("stagelight  ", "strong")
    if not traces and not compiles:
        return (name, Text("nothing traced, nothing compiled", "good"))
    counts = f"{counted(traces, 'trace')}, {counted(compiles, 'compile')}, {seconds_text(account.total_s)}; "
    verdict = Text("nothing avoidable", "good")
    if account.avoidable_s:
        verdict = Text(f"{seconds_text(account.avoidable_s)} avoidable", "warn")
    again = any(function.totals.rerun_of_cell for function in account.functions)
    mark = (Text("; this cell ran again, and made its functions anew", "muted"),) if again else ()
    return (name, Text(counts), verdict, *mark)
