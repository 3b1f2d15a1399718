"""What one run traced or compiled that another did not."""

from collections.abc import Iterable, Sequence

import msgspec

from stagelight.comparison.run import RunFunction
from stagelight.comparison.run_key import ChangedPart, RunKey, changed_parts
from stagelight.model.attribution import FunctionTotals
from stagelight.model.function import Function

# Keys that each missing key is held against, to find the nearest.
MOST_COMPARED = 200


class OnlyThere(msgspec.Struct, frozen=True, kw_only=True):
    """A key that only one of the runs has.

    Attributes:
        key: The key.
        changed: What differs from the nearest key of the other run, first run first; empty where that has none.
    """

    key: RunKey
    changed: tuple[ChangedPart, ...] = ()


class CacheComponent(msgspec.Struct, frozen=True, kw_only=True):
    """A component of the persistent cache's key that differs although the function and its key are the same."""

    name: str
    keys: int


class FunctionDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One function in two runs.

    Attributes:
        function: The function, as the later run names it if it is there.
        before: Counts and seconds in the first run; nothing where it is absent.
        after: The same in the second run.
        only_before: Keys that only the first run has.
        only_after: Keys that only the second run has.
        components: Components of the persistent cache's key that differ for keys that both have.
        keys_folded: Keys that were not compared because there were too many.
    """

    function: Function
    before: FunctionTotals | None = None
    after: FunctionTotals | None = None
    only_before: tuple[OnlyThere, ...] = ()
    only_after: tuple[OnlyThere, ...] = ()
    components: tuple[CacheComponent, ...] = ()
    keys_folded: int = 0


class RunDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs: the functions that differ in any way, costliest difference first, and how many do not."""

    functions: tuple[FunctionDifference, ...]
    same: int = 0


def run_difference(before: Sequence[RunFunction], after: Sequence[RunFunction]) -> RunDifference:
    """Compare two runs.

    Functions are the same if file, qualified name and rank among those of that name agree, so that code may move; and
    where only one function of a name is left on each side, although the file has another name.

    Args:
        before: Functions of the first run.
        after: Functions of the second run.
    """
    old, new = _by_identity(before), _by_identity(after)
    _follow_moved(old, new)
    found = [function_difference(old.get(key), new.get(key)) for key in dict.fromkeys((*old, *new))]
    different = [one for one in found if one is not None]
    different.sort(key=lambda one: -abs(seconds_of(one.after) - seconds_of(one.before)))
    return RunDifference(functions=tuple(different), same=len(found) - len(different))


def seconds_of(totals: FunctionTotals | None) -> float:
    """Tracing, lowering and compiling together."""
    return totals.trace_s + totals.lower_s + totals.compile_s if totals is not None else 0.0


def function_difference(before: RunFunction | None, after: RunFunction | None) -> FunctionDifference | None:
    """Compare one function in two runs; nothing where neither counts nor keys differ."""
    old, new = (before.keys if before else ()), (after.keys if after else ())
    pairs, only_before, only_after = _matched(old, new)
    components = _components(pairs)
    known = after or before
    assert known is not None
    if before and after and not (only_before or only_after or components) and _counts(before) == _counts(after):
        return None
    return FunctionDifference(
        function=known.function,
        before=before.totals if before else None,
        after=after.totals if after else None,
        only_before=tuple(_only_before(key, new) for key in only_before),
        only_after=tuple(_only_after(key, old) for key in only_after),
        components=components,
        keys_folded=sum(one.keys_folded for one in (before, after) if one),
    )


def _counts(function: RunFunction) -> tuple[int, int]:
    return function.totals.traces, function.totals.compiles


type Identity = tuple[str, str, int]


def _follow_moved(before: dict[Identity, RunFunction], after: dict[Identity, RunFunction]) -> None:
    """Give functions that are alone with their name on each side one identity."""
    old, new = _alone(before.keys() - after.keys()), _alone(after.keys() - before.keys())
    for name in old.keys() & new.keys():
        before[new[name]] = before.pop(old[name])


def _alone(identities: Iterable[Identity]) -> dict[str, Identity]:
    names: dict[str, list[Identity]] = {}
    for identity in identities:
        names.setdefault(identity[1], []).append(identity)
    return {name: found[0] for name, found in names.items() if len(found) == 1}


def _by_identity(functions: Iterable[RunFunction]) -> dict[Identity, RunFunction]:
    """Functions by file, qualified name and rank of their line."""
    found: dict[Identity, RunFunction] = {}
    ranks: dict[tuple[str, str], int] = {}
    for one in sorted(functions, key=lambda f: f.function.line):
        name = (one.function.file, one.function.qualname)
        ranks[name] = ranks.get(name, 0) + 1
        found[(*name, ranks[name])] = one
    return found


def _matched(
    before: Sequence[RunKey], after: Sequence[RunKey]
) -> tuple[list[tuple[RunKey, RunKey]], list[RunKey], list[RunKey]]:
    """Keys that both have, in pairs, and those that only one has."""
    waiting: dict[tuple[tuple[str, str], ...], list[RunKey]] = {}
    for key in before:
        waiting.setdefault(key.parts, []).append(key)
    pairs: list[tuple[RunKey, RunKey]] = []
    only_after: list[RunKey] = []
    for key in after:
        candidates = waiting.get(key.parts, [])
        same = next((old for old in candidates if not changed_parts(old, key)), None)
        if same is None:
            only_after.append(key)
        else:
            candidates.remove(same)
            pairs.append((same, key))
    return pairs, [key for keys in waiting.values() for key in keys], only_after


def _only_before(key: RunKey, others: Sequence[RunKey]) -> OnlyThere:
    changes = (changed_parts(key, other) for other in others[:MOST_COMPARED])
    return OnlyThere(key=key, changed=min(changes, key=len, default=()))


def _only_after(key: RunKey, others: Sequence[RunKey]) -> OnlyThere:
    changes = (changed_parts(other, key) for other in others[:MOST_COMPARED])
    return OnlyThere(key=key, changed=min(changes, key=len, default=()))


def _components(pairs: Iterable[tuple[RunKey, RunKey]]) -> tuple[CacheComponent, ...]:
    counts: dict[str, int] = {}
    for old, new in pairs:
        before, after = dict(old.components), dict(new.components)
        for name in before.keys() & after.keys():
            if before[name] != after[name]:
                counts[name] = counts.get(name, 0) + 1
    return tuple(CacheComponent(name=name, keys=keys) for name, keys in sorted(counts.items()))
