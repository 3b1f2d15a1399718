"""Read the true sizes of a call off its ragged axes."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from stagelight.bucketing.arguments import Layout, Slot
from stagelight.bucketing.declaration import RaggedAxes, text_of_path
from stagelight.errors import UsageError
from stagelight.sizes.expression import parse

_ARRAYS = (np.ndarray, jax.Array)
LEAF = jax.tree.structure(0)

# An argument's place, its leaves, their ragged axes, and its pytree structure (None for a bare array).
type RaggedArgument = tuple[int, Sequence[Any], Sequence[RaggedAxes], Any]


def measured(
    layout: Layout, values: Sequence[Any], names: tuple[str, ...]
) -> tuple[dict[str, Any], list[RaggedArgument]]:
    """The true size of each dimension, and the arguments that must be padded to its capacity.

    Raises:
        UsageError: Two axes of one name differ, an axis is missing, or a leaf is no array.
    """
    sizes: dict[str, Any] = {}
    ragged: list[RaggedArgument] = []
    for place in layout.ragged:
        value, slot = values[place], layout.slots[place]
        if isinstance(value, _ARRAYS):
            leaves, tree, structure = (value,), None, LEAF
        else:
            leaves, tree = jax.tree.flatten(value)
            structure = tree
        axes = slot.axes_of_structure.get(structure)
        if axes is None:
            axes = _declared(layout, slot, value, structure)
        for leaf, leaf_axes in zip(leaves, axes, strict=True):
            if leaf_axes:
                _measure_leaf(slot, leaf, leaf_axes, sizes)
        ragged.append((place, leaves, axes, tree))
    _check_all(layout, ragged, sizes, names)
    return sizes, ragged


def _measure_leaf(slot: Slot, leaf: Any, axes: RaggedAxes, sizes: dict[str, Any]) -> None:
    try:
        shape = leaf.shape
        for axis in axes:
            size = shape[axis.axis]
            if axis.name is not None and sizes.setdefault(axis.name, size) is not size and sizes[axis.name] != size:
                raise UsageError(_inconsistent(slot, axis, size, sizes[axis.name]))
    except AttributeError:
        raise UsageError(_no_array(slot, leaf)) from None
    except IndexError:
        raise UsageError(_no_axis(slot, leaf, axes)) from None


def _check_all(
    layout: Layout, ragged: Sequence[RaggedArgument], sizes: Mapping[str, Any], names: tuple[str, ...]
) -> None:
    """Every name was read, and every compound size agrees with the names in it."""
    if len(sizes) != len(names):
        missing = ", ".join(repr(name) for name in names if name not in sizes)
        message = f"the size {missing} is on no argument of this call; pass one of those that dims gives it to"
        raise UsageError(message)
    for place, leaves, axes, _ in ragged:
        for leaf, leaf_axes in zip(leaves, axes, strict=True):
            for axis in leaf_axes:
                if axis.name is None:
                    expected = parse(axis.text).evaluate(sizes)
                    if leaf.shape[axis.axis] != expected:
                        raise UsageError(_inconsistent(layout.slots[place], axis, leaf.shape[axis.axis], expected))


def _declared(layout: Layout, slot: Slot, value: Any, structure: Any) -> Sequence[RaggedAxes]:
    """The ragged axes of an argument of a new structure, checked once and remembered."""
    axes = tuple(layout.declaration.axes_of_leaves(slot.parameter, slot.prefix, value))
    for leaf, leaf_axes in zip(jax.tree.leaves(value), axes, strict=True):
        if not leaf_axes:
            continue
        if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
            raise UsageError(_no_array(slot, leaf))
        if leaf.dtype == jax.dtypes.float0:
            message = f"{_place(slot)} holds float0 (the gradient of an integer), which has no elements to pad"
            raise UsageError(message)
        places = [axis.axis % len(leaf.shape) if leaf.shape else axis.axis for axis in leaf_axes]
        if any(axis.axis >= len(leaf.shape) or axis.axis < -len(leaf.shape) for axis in leaf_axes):
            raise UsageError(_no_axis(slot, leaf, leaf_axes))
        if len(set(places)) != len(places):
            message = f"dims names one axis of {_place(slot)} twice: its axes are {[a.axis for a in leaf_axes]}"
            raise UsageError(message)
    slot.axes_of_structure[structure] = axes
    return axes


def _place(slot: Slot) -> str:
    return text_of_path(slot.parameter, slot.prefix)


def _no_array(slot: Slot, leaf: Any) -> str:
    return (
        f"{_place(slot)} is ragged by dims and holds {type(leaf).__name__} {leaf!r:.60}, which has no shape; "
        f"pass arrays there (np.asarray), or name in dims only the parts that are arrays"
    )


def _no_axis(slot: Slot, leaf: Any, axes: RaggedAxes) -> str:
    named = ", ".join(f"{axis.axis}: {axis.text!r}" for axis in axes)
    return (
        f"dims gives {_place(slot)} the axes {{{named}}}, and one of its arrays has shape {tuple(leaf.shape)}, "
        f"which is too few axes"
    )


def _inconsistent(slot: Slot, axis: Any, size: Any, expected: Any) -> str:
    return (
        f"axis {axis.axis} of {_place(slot)} has size {size} where {axis.text!r} is {expected}; "
        f"arrays that share a name in dims must have one size there"
    )


def check_leaves(layout: Layout, values: Sequence[Any]) -> None:
    """Name the first argument that is no array, which JAX has refused.

    Raises:
        UsageError: There is one.
    """
    for place in layout.dynamic:
        slot = layout.slots[place]
        for path, leaf in jax.tree_util.tree_flatten_with_path(values[place])[0]:
            if not isinstance(leaf, (*_ARRAYS, np.generic, bool, int, float, complex)):
                message = (
                    f"{_place(slot)}{jax.tree_util.keystr(path)} is {type(leaf).__name__} {leaf!r:.60}, which is no "
                    f"array; name it in static_argnames, or split it from the arrays (as equinox.partition does)"
                )
                raise UsageError(message)
