"""What one run traced or compiled that another did not."""

from collections.abc import Callable, Iterable, Sequence

from stagelight.comparison.program_difference import program_difference
from stagelight.comparison.run_key import changed_parts
from stagelight.model.attribution import FunctionTotals
from stagelight.model.comparison import (
    CacheComponent,
    ChangedPart,
    FunctionDifference,
    OnlyThere,
    Part,
    RunDifference,
    RunFunction,
    RunKey,
)
from stagelight.model.program_difference import ProgramDifference

# Keys that each missing key is held against, to find the nearest.
MOST_COMPARED = 200


def _no_program(digest: str) -> str | None:
    return None


type Programs = Callable[[str], str | None]
"""Text of a kept program by its digest, where it is still there."""


def run_difference(
    before: Sequence[RunFunction],
    after: Sequence[RunFunction],
    *,
    programs: tuple[Programs, Programs] = (_no_program, _no_program),
) -> RunDifference:
    """Compare two runs.

    Functions are the same if file, qualified name and rank among those of that name agree, so that code may move; and
    where only one function of a name is left on each side, although the file has another name.

    Args:
        before: Functions of the first run.
        after: Functions of the second run.
        programs: Where the kept programs of each run are looked up.
    """
    settings = settings_throughout(before, after)
    ignored = frozenset(setting.name for setting in settings)
    old, new = _by_identity(before), _by_identity(after)
    _follow_moved(old, new)
    found = [
        function_difference(old.get(key), new.get(key), ignored, programs=programs)
        for key in dict.fromkeys((*old, *new))
    ]
    different = [one for one in found if one is not None]
    different.sort(key=lambda one: -abs(seconds_of(one.after) - seconds_of(one.before)))
    return RunDifference(functions=tuple(different), same=len(found) - len(different), settings=settings)


def settings_throughout(before: Sequence[RunFunction], after: Sequence[RunFunction]) -> tuple[ChangedPart, ...]:
    """Settings that have one value in all keys of the first run, and another one in all keys of the second."""
    old, new = _only_settings(before), _only_settings(after)
    return tuple(
        ChangedPart(name=name, before=old[name], after=new[name])
        for name in old
        if name in new and old[name] != new[name]
    )


def _only_settings(functions: Sequence[RunFunction]) -> dict[str, str]:
    """The value of each setting that has only one in a run."""
    values: dict[str, set[str]] = {}
    for function in functions:
        for key in function.keys:
            for name, text in key.context:
                values.setdefault(name, set()).add(text)
    return {name: next(iter(texts)) for name, texts in values.items() if len(texts) == 1}


def seconds_of(totals: FunctionTotals | None) -> float:
    """Tracing, lowering and compiling together."""
    return totals.trace_s + totals.lower_s + totals.compile_s if totals is not None else 0.0


def function_difference(
    before: RunFunction | None,
    after: RunFunction | None,
    ignored: frozenset[str] = frozenset(),
    *,
    programs: tuple[Programs, Programs] = (_no_program, _no_program),
) -> FunctionDifference | None:
    """Compare one function in two runs; nothing where neither counts nor keys differ.

    Args:
        before: The function in the first run, if it is there.
        after: The function in the second run.
        ignored: Settings that tell no keys apart.
        programs: Where the kept programs of each run are looked up.
    """
    old, new = (before.keys if before else ()), (after.keys if after else ())
    pairs, only_before, only_after = _matched(old, new, ignored)
    components = _components(pairs)
    differing = tuple(found for pair in pairs for found in differing_programs(*pair, programs))
    known = after or before
    assert known is not None
    differs = only_before or only_after or components or differing
    if before and after and not differs and _counts(before) == _counts(after):
        return None
    return FunctionDifference(
        function=known.function,
        before=before.totals if before else None,
        after=after.totals if after else None,
        only_before=tuple(_only_before(key, new, ignored) for key in only_before),
        only_after=tuple(_only_after(key, old, ignored) for key in only_after),
        components=components,
        programs=differing,
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
    before: Sequence[RunKey], after: Sequence[RunKey], ignored: frozenset[str]
) -> tuple[list[tuple[RunKey, RunKey]], list[RunKey], list[RunKey]]:
    """Keys that both have, in pairs, and those that only one has."""
    waiting: dict[tuple[Part, ...], list[RunKey]] = {}
    for key in before:
        waiting.setdefault(key.parts, []).append(key)
    pairs: list[tuple[RunKey, RunKey]] = []
    only_after: list[RunKey] = []
    for key in after:
        candidates = waiting.get(key.parts, [])
        same = next((old for old in candidates if not changed_parts(old, key, ignored)), None)
        if same is None:
            only_after.append(key)
        else:
            candidates.remove(same)
            pairs.append((same, key))
    return pairs, [key for keys in waiting.values() for key in keys], only_after


def _only_before(key: RunKey, others: Sequence[RunKey], ignored: frozenset[str]) -> OnlyThere:
    changes = (changed_parts(key, other, ignored) for other in others[:MOST_COMPARED])
    return OnlyThere(key=key, changed=min(changes, key=len, default=()))


def _only_after(key: RunKey, others: Sequence[RunKey], ignored: frozenset[str]) -> OnlyThere:
    changes = (changed_parts(other, key, ignored) for other in others[:MOST_COMPARED])
    return OnlyThere(key=key, changed=min(changes, key=len, default=()))


def differing_programs(before: RunKey, after: RunKey, programs: tuple[Programs, Programs]) -> list[ProgramDifference]:
    """The programs of one key that both runs kept, where they differ.

    Where only source locations differ and the persistent cache's key does not tell them apart, nothing is said: code
    that has moved is the same program.
    """
    old_digests, new_digests = dict(before.components), dict(after.components)
    is_told = old_digests.get("program") != new_digests.get("program")
    found: list[ProgramDifference] = []
    for (module, old), (_, new) in zip(before.programs, after.programs, strict=False):
        texts = programs[0](old), programs[1](new)
        if old == new or texts[0] is None or texts[1] is None:
            continue
        difference = program_difference(texts[0], texts[1], module=module, digests=(old, new))
        if difference is not None and (is_told or difference.origin != "source locations"):
            found.append(difference)
    return found


def _components(pairs: Iterable[tuple[RunKey, RunKey]]) -> tuple[CacheComponent, ...]:
    digests: dict[str, list[tuple[str, str]]] = {}
    for old, new in pairs:
        before, after = dict(old.components), dict(new.components)
        for name in before.keys() & after.keys():
            if before[name] != after[name]:
                digests.setdefault(name, []).append((before[name], after[name]))
    return tuple(
        CacheComponent(name=name, keys=len(found), before=found[0][0], after=found[0][1])
        for name, found in sorted(digests.items())
    )
