"""The leaves of two calls held against each other, by path."""

import msgspec

from stagelight.model.aval import Aval
from stagelight.model.structure import Structure


class LeafChange(msgspec.Struct, frozen=True, kw_only=True):
    """One leaf whose aval differs."""

    path: str
    before: Aval
    after: Aval


def path_at(structure: Structure, index: int) -> str:
    """The path of one leaf, with a plain word where the ledger does not name it."""
    return structure.paths[index] if index < len(structure.paths) else f"leaf {index}"


def leaf_changes(
    before: tuple[Aval, ...], after: tuple[Aval, ...], old: Structure, new: Structure
) -> tuple[LeafChange, ...]:
    """Every leaf that both calls have and whose aval differs.

    Args:
        before: Avals of the earlier call.
        after: Avals of this call.
        old: Structure of the earlier call.
        new: Structure of this call; where it is another one, leaves are paired by path.
    """
    if old is new or old.paths == new.paths:
        if len(before) != len(after):
            return ()
        return tuple(
            LeafChange(path=path_at(new, i), before=a, after=b)
            for i, (a, b) in enumerate(zip(before, after, strict=True))
            if a != b
        )
    earlier = dict(zip(old.paths, before, strict=False))
    return tuple(
        LeafChange(path=path, before=earlier[path], after=aval)
        for path, aval in zip(new.paths, after, strict=False)
        if path in earlier and earlier[path] != aval
    )


def is_key_array(aval: Aval) -> bool:
    """Whether the dtype is that of a new-style random key (``key<fry>``)."""
    return aval.dtype.startswith("key<")


def has_other_shape(change: LeafChange) -> bool:
    """Whether the shape differs; not between a key array and its raw words, where the dtype alone tells it."""
    if change.before.shape == change.after.shape:
        return False
    return is_key_array(change.before) == is_key_array(change.after)


def has_other_dtype(change: LeafChange) -> bool:
    """Whether the dtype differs."""
    return change.before.dtype != change.after.dtype


def has_other_weak_type(change: LeafChange) -> bool:
    """Whether the weak flag differs and the dtype does not, so that the flag tells the two apart."""
    return change.before.weak != change.after.weak and change.before.dtype == change.after.dtype


def has_other_sharding(change: LeafChange) -> bool:
    """Whether the sharding inside the aval differs; not where another rank must have another one."""
    return change.before.sharding != change.after.sharding and len(change.before.shape) == len(change.after.shape)


def has_other_remainder(change: LeafChange) -> bool:
    """Whether nothing that has a name differs."""
    return not (
        has_other_shape(change) or has_other_dtype(change) or has_other_weak_type(change) or has_other_sharding(change)
    )
