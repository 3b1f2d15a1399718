"""A lock held against what was seen now: what was added, what is gone, what grew."""

from collections.abc import Iterator

from stagelight.model.lock import KeyPart, Lock, LockedFunction, LockedSpecialization
from stagelight.model.lock_change import LockChange, PartChange

GROWTH = 0.15
"""A program that has more than this share of equations more is told."""

ABSENT = "–"
_ORDER = {"error": 0, "warning": 1, "note": 2}


def lock_changes(locked: Lock, now: Lock, *, growth: float = GROWTH) -> tuple[LockChange, ...]:
    """Every difference, errors first.

    Args:
        locked: What is agreed.
        now: What was seen.
        growth: Share of equations beyond which a growing program is told.
    """
    old = {function.name: function for function in locked.functions}
    new = {function.name: function for function in now.functions}
    counts = locked.jax == now.jax
    found: list[LockChange] = []
    for name in sorted(old.keys() | new.keys()):
        before = old.get(name, LockedFunction(name=name))
        after = new.get(name, LockedFunction(name=name))
        found += _specializations(before, after, growth if counts else None)
        found += _causes(before, after)
        found += _counts(before, after)
    return tuple(sorted(found, key=lambda change: _ORDER[change.severity]))


def _specializations(before: LockedFunction, after: LockedFunction, growth: float | None) -> Iterator[LockChange]:
    old = {s.key: s for s in before.specializations}
    new = {s.key: s for s in after.specializations}
    for key in new.keys() - old.keys():
        yield LockChange(
            kind="specialization-added", severity="error", function=after.name, key=key,
            parts=nearest_difference(key, list(old)),
        )  # fmt: skip
    for key in old.keys() - new.keys():
        yield LockChange(kind="specialization-removed", severity="note", function=before.name, key=key)
    for key in sorted(old.keys() & new.keys()):
        if growth is not None:
            yield from _program(before.name, old[key], new[key], growth)


def _program(name: str, old: LockedSpecialization, new: LockedSpecialization, growth: float) -> Iterator[LockChange]:
    grew = new.equations - old.equations > old.equations * growth
    if new.equations != old.equations:
        yield LockChange(
            kind="program-grew" if grew else "program-changed", severity="warning" if grew else "note", function=name,
            key=new.key, subject="equations", before=str(old.equations), after=str(new.equations),
        )  # fmt: skip
    for subject, before, after in (
        ("unrolled lines", old.unrolled, new.unrolled),
        ("captured constants", old.constants, new.constants),
    ):
        if before != after:
            more = bool(set(after) - set(before))
            yield LockChange(
                kind="program-changed", severity="warning" if more else "note", function=name, key=new.key,
                subject=subject, before="; ".join(before) or ABSENT, after="; ".join(after) or ABSENT,
            )  # fmt: skip


def _causes(before: LockedFunction, after: LockedFunction) -> Iterator[LockChange]:
    old, new = dict(before.causes), dict(after.causes)
    for slug in sorted(old.keys() | new.keys()):
        was, is_now = old.get(slug, 0), new.get(slug, 0)
        if was == is_now:
            continue
        more = is_now > was
        yield LockChange(
            kind="cause-added" if more else "cause-gone", severity="error" if more else "note", function=after.name,
            subject=slug, before=str(was), after=str(is_now),
        )  # fmt: skip


def _counts(before: LockedFunction, after: LockedFunction) -> Iterator[LockChange]:
    """Counts that no cause and no specialization explains are told, but fail nothing."""
    for subject in ("traces", "compiles"):
        was, is_now = getattr(before, subject), getattr(after, subject)
        if was != is_now:
            yield LockChange(
                kind="count-changed", severity="note", function=after.name, subject=subject, before=str(was),
                after=str(is_now),
            )  # fmt: skip


def nearest_difference(key: tuple[KeyPart, ...], others: list[tuple[KeyPart, ...]]) -> tuple[PartChange, ...]:
    """In what a key differs from the nearest of some others; equally near ones in their order."""
    if not others:
        return ()
    differences = [key_difference(other, key) for other in sorted(others)]
    return min(differences, key=len)


def key_difference(before: tuple[KeyPart, ...], after: tuple[KeyPart, ...]) -> tuple[PartChange, ...]:
    """The parts in which two keys differ.

    >>> key_difference((KeyPart("x", "f32[3]"),), (KeyPart("x", "f32[4]"),))
    (PartChange(name='x', before='f32[3]', after='f32[4]'),)
    """
    old = {part.name: part.text for part in before}
    new = {part.name: part.text for part in after}
    return tuple(
        PartChange(name, old.get(name, ABSENT), new.get(name, ABSENT))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    )
