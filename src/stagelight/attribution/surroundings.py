"""What a transformation around a call explains."""

import msgspec

from stagelight.attribution.difference import NO_DIFFERENCE, Difference
from stagelight.attribution.evidence import Surroundings
from stagelight.attribution.leaf_changes import LeafChange, has_other_dtype, has_other_remainder, has_other_shape
from stagelight.model.aval import Aval

TRANSFORMATIONS = frozenset({"vmap", "grad", "jvp", "vjp", "linearize", "transpose", "checkpoint", "pmap", "shard_map"})
# Parts of the trace context that transformations set themselves (jax/_src/config.py: trace_context).
CONTEXT_OF_TRANSFORMATIONS = ("axis_env", "axis_name", "vma", "spmd")


def transformations(under: tuple[str, ...]) -> tuple[str, ...]:
    """Those of what surrounds a call that make another program of it."""
    return tuple(name for name in under if name in TRANSFORMATIONS)


def surroundings(before: tuple[str, ...], after: tuple[str, ...]) -> Surroundings | None:
    """Other transformations than before; None where they are the same."""
    old, new = transformations(before), transformations(after)
    if old == new:
        return None
    return Surroundings(before=", ".join(old) or "none", after=", ".join(new) or "none")


def unexplained(change: Difference) -> Difference:
    """What is left of a difference when other transformations are around the call."""
    if change == NO_DIFFERENCE:
        return change
    leaves = tuple(leaf for leaf in change.leaves if not is_explained(leaf))
    context = tuple(
        setting for setting in change.context if not any(word in setting.name for word in CONTEXT_OF_TRANSFORMATIONS)
    )
    return msgspec.structs.replace(change, leaves=leaves, context=context)


def is_explained(leaf: LeafChange) -> bool:
    """Whether a leaf differs only as it does under ``vmap`` (one axis less) or by a part that has no name."""
    if has_other_remainder(leaf):
        return True
    if not has_other_shape(leaf) or has_other_dtype(leaf) or leaf.before.weak != leaf.after.weak:
        return False
    return has_one_axis_less(leaf.before, leaf.after) or has_one_axis_less(leaf.after, leaf.before)


def has_one_axis_less(larger: Aval, smaller: Aval) -> bool:
    """Whether one shape is the other without one of its axes."""
    if len(larger.shape) != len(smaller.shape) + 1:
        return False
    return any(larger.shape[:axis] + larger.shape[axis + 1 :] == smaller.shape for axis in range(len(larger.shape)))
