"""The arguments of a call, padded to a program's capacities."""

from collections.abc import Sequence
from typing import Any

import jax

from stagelight.bucketing.arguments import Layout
from stagelight.bucketing.declaration import RaggedAxes
from stagelight.bucketing.host_padding import padded
from stagelight.bucketing.program import LEAST_SIZE, Program
from stagelight.bucketing.sizes_of_arguments import RaggedArgument
from stagelight.sizes.bounds import bounds


def padded_values(
    program: Program, layout: Layout, values: Sequence[Any], ragged: Sequence[RaggedArgument], *, poison: bool
) -> list[Any]:
    """The dynamic arguments of a call, those that are ragged at their capacity."""
    values = list(values)
    for place, leaves, axes, tree in ragged:
        extended = [
            padded(leaf, _shape(program, leaf.shape, leaf_axes), poison=poison) if leaf_axes else leaf
            for leaf, leaf_axes in zip(leaves, axes, strict=True)
        ]
        values[place] = extended[0] if tree is None else jax.tree.unflatten(tree, extended)
    return [values[place] for place in layout.dynamic]


def _shape(program: Program, shape: tuple[int, ...], axes: RaggedAxes) -> tuple[int, ...]:
    lengths = list(shape)
    for axis in axes:
        name = axis.name
        lengths[axis.axis] = program.capacity_of_name[name] if name else _compound(program, axis.text)
    return tuple(lengths)


def _compound(program: Program, text: str) -> int:
    """The capacity of a size such as ``2*b``."""
    known = program.capacity_of_text.get(text)
    if known is None:
        ranges = {name: (LEAST_SIZE, capacity) for name, capacity in program.capacity_of_name.items()}
        known = program.capacity_of_text[text] = bounds(text, ranges)[1]
    return known
