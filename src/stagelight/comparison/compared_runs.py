"""Two runs held against each other."""

from collections.abc import Iterable

import msgspec

from stagelight.comparison.portable_key import SETTING
from stagelight.model.comparison import (
    ComparedFunction,
    Comparison,
    ComponentChange,
    Counts,
    KeyPart,
    OneSidedKey,
    PartChange,
    Run,
    RunFunction,
    RunKey,
)

MOST_ONE_SIDED = 500
MOST_COMPARED = 256
MOST_NAMED = 4

type Identity = tuple[str, str, int]
type Parts = tuple[KeyPart, ...]


def compared_runs(before: Run, after: Run) -> Comparison:
    """Hold two runs against each other.

    Functions are paired by file and qualified name (several of one name in the order of their lines), specializations
    by their parts. Settings in which the runs differ throughout are named once and left out of the pairing.

    Args:
        before: The earlier run, or the first host.
        after: The later run, or the second host.
    """
    settings = settings_throughout(before, after)
    ignored = frozenset(change.name for change in settings)
    old = {identity(function): function for function in before.functions}
    new = {identity(function): function for function in after.functions}
    pairs = [(old.get(place), new.get(place)) for place in {**old, **new}]
    one_sided: list[OneSidedKey] = []
    compared: list[ComparedFunction] = []
    shared: list[tuple[RunFunction, RunKey, RunKey]] = []
    for earlier, later in pairs:
        keys = (keys_by_parts(earlier, ignored), keys_by_parts(later, ignored))
        both = [(keys[0][parts], keys[1][parts]) for parts in keys[0] if parts in keys[1]]
        compared.append(compared_function(earlier, later, keys, len(both)))
        if later is not None:
            shared += [(later, a, b) for a, b in both]
        one_sided += one_sided_keys(earlier, later, keys)
    compared.sort(key=lambda c: -abs(seconds(c.after) - seconds(c.before)))
    one_sided.sort(key=lambda k: -seconds(k.key.counts))
    return Comparison(
        before=msgspec.structs.replace(before, functions=()),
        after=msgspec.structs.replace(after, functions=()),
        functions=tuple(compared),
        one_sided=tuple(one_sided[:MOST_ONE_SIDED]),
        folded=max(len(one_sided) - MOST_ONE_SIDED, 0),
        components=component_changes(shared),
        settings=settings,
    )


def identity(function: RunFunction) -> Identity:
    """What is the same for one function in two runs, its line left out: lines move."""
    return function.file, function.qualname, function.ordinal


def seconds(counts: Counts) -> float:
    """Time spent tracing, lowering and compiling."""
    return counts.trace_s + counts.lower_s + counts.compile_s


def keys_by_parts(function: RunFunction | None, ignored: frozenset[str]) -> dict[Parts, RunKey]:
    """The specializations of a function by their parts, the ignored ones left out."""
    if function is None:
        return {}
    if not ignored:
        return {key.parts: key for key in function.keys}
    return {tuple(part for part in key.parts if part.name not in ignored): key for key in function.keys}


def settings_throughout(before: Run, after: Run) -> tuple[PartChange, ...]:
    """Settings that have one value in all keys of one run, and another one in all keys of the other."""
    old, new = only_settings(before), only_settings(after)
    if not old or not new:
        return ()
    found: list[PartChange] = []
    for name in sorted({**old, **new}):
        earlier, later = old.get(name, ""), new.get(name, "")
        if earlier is not None and later is not None and earlier != later:
            found.append(PartChange(name=name, before=earlier, after=later))
    return tuple(found)


def only_settings(run: Run) -> dict[str, str | None]:
    """The value of each setting where a run has only one, None where it has several."""
    values: dict[str, str | None] = {}
    for function in run.functions:
        for key in function.keys:
            for part in key.parts:
                if part.name.startswith(SETTING) and values.setdefault(part.name, part.text) != part.text:
                    values[part.name] = None
    return values


def compared_function(
    earlier: RunFunction | None,
    later: RunFunction | None,
    keys: tuple[dict[Parts, RunKey], dict[Parts, RunKey]],
    shared: int,
) -> ComparedFunction:
    """The counts of one function in both runs."""
    function = later or earlier
    assert function is not None
    return ComparedFunction(
        function=msgspec.structs.replace(function, keys=()),
        before=earlier.counts if earlier is not None else Counts(),
        after=later.counts if later is not None else Counts(),
        keys_before=len(keys[0]),
        keys_after=len(keys[1]),
        keys_shared=shared,
    )


def one_sided_keys(
    earlier: RunFunction | None,
    later: RunFunction | None,
    keys: tuple[dict[Parts, RunKey], dict[Parts, RunKey]],
) -> Iterable[OneSidedKey]:
    """The specializations of one function that only one run has."""
    for side, function, own, other in (("before", earlier, keys[0], keys[1]), ("after", later, keys[1], keys[0])):
        if function is None:
            continue
        bare = msgspec.structs.replace(function, keys=())
        absent = (later if side == "before" else earlier) is None
        candidates = list(other)[:MOST_COMPARED]
        for parts, key in own.items():
            if parts in other:
                continue
            nearest = min(candidates, key=lambda p, parts=parts: parts_apart(p, parts), default=None)
            changes: tuple[PartChange, ...] = ()
            if nearest is not None:
                changes = part_changes(parts, nearest) if side == "before" else part_changes(nearest, parts)
            yield OneSidedKey(
                side="before" if side == "before" else "after",
                function=bare,
                key=key,
                is_function_absent=absent,
                changes=changes,
            )


def parts_apart(a: Parts, b: Parts) -> int:
    """In how many parts two keys differ."""
    return len(set(a) ^ set(b))


def part_changes(before: Parts, after: Parts) -> tuple[PartChange, ...]:
    """The parts in which two keys differ."""
    old, new = ({part.name: part.text for part in parts} for parts in (before, after))
    return tuple(
        PartChange(name=name, before=old.get(name, ""), after=new.get(name, ""))
        for name in sorted({**old, **new})
        if old.get(name) != new.get(name)
    )


def component_changes(shared: list[tuple[RunFunction, RunKey, RunKey]]) -> tuple[ComponentChange, ...]:
    """Components of the persistent-cache key that differ where both runs compiled the same specialization."""
    differing: dict[str, list[tuple[str, str, str]]] = {}
    known: dict[str, int] = {}
    for function, earlier, later in shared:
        old, new = dict(earlier.components), dict(later.components)
        for name in old.keys() & new.keys():
            known[name] = known.get(name, 0) + 1
            if old[name] != new[name]:
                differing.setdefault(name, []).append((function.name, old[name], new[name]))
    found = [
        ComponentChange(
            name=name,
            keys=len(cases),
            of=known[name],
            functions=tuple(dict.fromkeys(case[0] for case in cases))[:MOST_NAMED],
            before=cases[0][1],
            after=cases[0][2],
        )
        for name, cases in differing.items()
    ]
    return tuple(sorted(found, key=lambda change: (-change.keys, change.name)))
