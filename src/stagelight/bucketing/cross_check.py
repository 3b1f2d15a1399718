"""Compare a bucket with one that was compared before, on as much of a call's data as fits both.

The unpadded function would have to be compiled for that alone. The bucket that was compared before is compiled already,
and it has another padding: what a missing mask would let in, and a capacity that stands where a size belongs, differ
between the two.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from stagelight.bucketing.arguments import Layout
from stagelight.bucketing.declaration import RaggedAxes
from stagelight.bucketing.output_plan import PaddedOutputs
from stagelight.bucketing.padded_value import is_key_dtype
from stagelight.bucketing.padding import padded_values
from stagelight.bucketing.program import LEAST_SIZE, Program
from stagelight.bucketing.sizes_of_arguments import RaggedArgument
from stagelight.sizes.expression import parse

type Part = tuple[dict[str, int], list[RaggedArgument]]
"""Smaller true sizes, and the ragged arguments cut to them."""


def signature_of(layout: Layout, values: Sequence[Any], ragged: Sequence[RaggedArgument]) -> Any:
    """Equal for calls that differ only in sizes, so that the programs of their buckets belong together."""
    marks = {place: [_mark(leaf, axes) for leaf, axes in zip(leaves, found, strict=True)]
             for place, leaves, found, _ in ragged}  # fmt: skip
    described = []
    for place in layout.dynamic:
        leaves, tree = jax.tree.flatten(values[place])
        described.append((tree, tuple(marks.get(place) or [_mark(leaf, ()) for leaf in leaves])))
    return tuple(described)


def _mark(leaf: Any, axes: RaggedAxes) -> Any:
    if not hasattr(leaf, "shape"):
        return type(leaf)
    shape: list[Any] = list(leaf.shape)
    for axis in axes:
        shape[axis.axis] = axis.text
    return tuple(shape), str(leaf.dtype), bool(getattr(leaf, "weak_type", False))


def common_part(
    one: Program, other: Program, sizes: Mapping[str, int], ragged: Sequence[RaggedArgument]
) -> Part | None:
    """A call's data cut to sizes that both programs hold for; None where there is none, or it cannot be cut here."""
    part = {name: min(size, one.capacity_of_name[name], other.capacity_of_name[name]) for name, size in sizes.items()}
    if min(part.values()) < LEAST_SIZE or one.rejects(part) or other.rejects(part):
        return None
    if any(not _can_be_cut(leaf) for _, leaves, axes, _ in ragged for leaf, a in zip(leaves, axes, strict=True) if a):
        return None
    cut: list[RaggedArgument] = [
        (place, [_cut(leaf, found, part) for leaf, found in zip(leaves, axes, strict=True)], axes, tree)
        for place, leaves, axes, tree in ragged
    ]
    return part, cut


def _can_be_cut(leaf: Any) -> bool:
    if is_key_dtype(leaf.dtype) or getattr(leaf, "weak_type", False):
        return False
    return not isinstance(leaf, jax.Array) or not leaf.committed or len(leaf.sharding.device_set) == 1


def _cut(leaf: Any, axes: RaggedAxes, sizes: Mapping[str, int]) -> Any:
    if not axes:
        return leaf
    window = [slice(None)] * len(leaf.shape)
    for axis in axes:
        window[axis.axis] = slice(parse(axis.text).evaluate(sizes))
    kept = np.asarray(leaf)[tuple(window)]
    return jax.device_put(kept, leaf.sharding) if isinstance(leaf, jax.Array) and leaf.committed else kept


def outputs_of_part(
    program: Program, layout: Layout, values: Sequence[Any], part: Part, *, poison: bool
) -> PaddedOutputs:
    """What a program gives for a part of a call's data."""
    sizes, ragged = part
    arguments = padded_values(program, layout, values, ragged, poison=poison)
    return program.run([np.int32(sizes[name]) for name in program.names], *arguments)
