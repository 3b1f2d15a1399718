"""Which calls of a served run a warm-up would have missed, and which part of the key differs."""

from collections.abc import Iterable

from stagelight.comparison.lock_difference import key_difference, nearest_difference
from stagelight.model.coverage import Coverage, KeyedCall, MissedCall


def coverage_of(warmed: Iterable[KeyedCall], served: Iterable[KeyedCall]) -> Coverage:
    """Hold a served run against a warm-up.

    Args:
        warmed: The distinct calls of the warm-up.
        served: The distinct calls of the served run.
    """
    by_function: dict[str, list[KeyedCall]] = {}
    for call in dict.fromkeys(warmed):
        by_function.setdefault(call.function, []).append(call)
    used: set[KeyedCall] = set()
    missed: list[MissedCall] = []
    covered = 0
    for call in served:
        candidates = by_function.get(call.function, [])
        traced = [other for other in candidates if other.traced == call.traced]
        placed = [other for other in traced if not key_difference(other.placed, call.placed)]
        used.update(placed)
        if placed:
            covered += 1
        elif traced:
            parts = nearest_difference(call.placed, [other.placed for other in traced])
            missed.append(MissedCall(call=call, ledger="compile", parts=parts))
        else:
            parts = nearest_difference(call.traced, [other.traced for other in candidates])
            missed.append(MissedCall(call=call, ledger="trace", parts=parts))
    unused = tuple(call for calls in by_function.values() for call in calls if call not in used)
    return Coverage(covered=covered, missed=tuple(missed), unused=unused)
