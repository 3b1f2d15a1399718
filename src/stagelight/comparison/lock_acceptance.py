"""Take some changes into a lock, and leave the others out."""

from collections.abc import Callable

import msgspec

from stagelight.comparison.lock_difference import lock_changes
from stagelight.model.lock import Lock, LockedFunction
from stagelight.model.lock_change import LockChange


def accepted(locked: Lock, now: Lock, is_accepted: Callable[[LockChange], bool]) -> Lock:
    """The lock with those changes that are accepted.

    Args:
        locked: What was agreed.
        now: What was seen.
        is_accepted: Asked for each difference in turn.

    Returns:
        A lock that differs from ``now`` in exactly what was not accepted.
    """
    functions = {function.name: function for function in locked.functions}
    seen = {function.name: function for function in now.functions}
    taken: set[str] = set()
    for change in lock_changes(locked, now):
        if not is_accepted(change):
            continue
        taken.add(change.function)
        before = functions.get(change.function, LockedFunction(name=change.function))
        functions[change.function] = _with(before, seen.get(change.function), change)
    kept = [functions[name] for name in sorted(functions) if name not in taken or _is_something(functions[name])]
    return msgspec.structs.replace(locked, jax=now.jax, functions=tuple(kept))


def _is_something(function: LockedFunction) -> bool:
    return bool(function.specializations or function.causes or function.traces)


def _with(before: LockedFunction, now: LockedFunction | None, change: LockChange) -> LockedFunction:
    if change.kind.startswith(("specialization", "program")):
        rows = {s.key: s for s in before.specializations}
        rows.pop(change.key, None)
        rows.update({s.key: s for s in (now.specializations if now is not None else ()) if s.key == change.key})
        return msgspec.structs.replace(before, specializations=tuple(rows[key] for key in sorted(rows)))
    if change.kind.startswith("cause"):
        causes = dict(before.causes)
        causes[change.subject] = int(change.after)
        kept = tuple((slug, count) for slug, count in sorted(causes.items()) if count)
        return msgspec.structs.replace(before, causes=kept)
    return msgspec.structs.replace(before, **{change.subject: int(change.after)})
