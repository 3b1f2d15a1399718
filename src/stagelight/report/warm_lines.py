"""Warm-ups and their coverage, as lines for people."""

import os
from collections import Counter
from collections.abc import Iterator

from stagelight.model.coverage import Coverage, KeyedCall
from stagelight.model.lock_change import PartChange
from stagelight.model.warm_up import WarmUp
from stagelight.report.file_names import FileNames
from stagelight.report.quantities import counted, seconds_text

_MOST_PARTS = 8
_PLUMBING = ("calling convention", "setting ")


def warm_up_lines(done: WarmUp) -> Iterator[str]:
    """What a warm-up did: its counts, and each call that could not be warmed."""
    outcomes = Counter(call.outcome for call in done.calls)
    said = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
    yield f"{counted(len(done.calls), 'call')} in {seconds_text(done.wall_s)}: {said or 'nothing to do'}."
    for call in done.calls:
        if call.outcome in ("failed", "not rebuilt"):
            yield f"  {call.function}({call.arguments}) {call.outcome}: {call.reason}"


def coverage_lines(coverage: Coverage) -> Iterator[str]:
    """Which calls were missed, by what, and what was warmed for nobody."""
    total = coverage.covered + len(coverage.missed)
    yield f"{coverage.covered} of {counted(total, 'distinct call')} covered by the warm-up."
    for missed in coverage.missed:
        yield ""
        yield f"{missed.call.function} would have been {'traced' if missed.ledger == 'trace' else 'compiled'}"
        if missed.call.call.file:
            yield f"  called at {FileNames((os.getcwd(),)).short(missed.call.call.file)}:{missed.call.call.line}"
        yield from _part_lines(missed.parts)
    if coverage.unused:
        yield ""
        yield f"{counted(len(coverage.unused), 'warmed call')} that nobody made:"
        yield from (f"  {call.function}({call_text(call)})" for call in coverage.unused)


def _part_lines(parts: tuple[PartChange, ...]) -> Iterator[str]:
    if not parts:
        yield "  its function was not warmed at all"
    for part in parts[:_MOST_PARTS]:
        yield f"  {part.name}: warmed {part.before}, served {part.after}"
    if len(parts) > _MOST_PARTS:
        yield f"  and {len(parts) - _MOST_PARTS} more parts"


def call_text(call: KeyedCall) -> str:
    """The arguments of a call, without how they were passed and the settings around it."""
    parts = [p for p in call.traced if not p.name.startswith(_PLUMBING)]
    more = f", and {len(parts) - _MOST_PARTS} more" if len(parts) > _MOST_PARTS else ""
    return ", ".join(f"{part.name} {part.text}" for part in parts[:_MOST_PARTS]) + more
