"""Scatter: padded updates are dropped, and indices are bounded by the true size."""

from typing import Any

import jax.numpy as jnp
from jax import lax

from stagelight.bucketing.dimensions import is_equal, is_symbolic, symbolic_axes
from stagelight.bucketing.indices import as_index, fixed_start, greatest_start, holds_beyond
from stagelight.bucketing.layout import resized
from stagelight.bucketing.padded_value import PaddedValue, is_same_value, known_beside_zeros, zero
from stagelight.bucketing.padding_context import OUT_OF_BOUNDS, PaddingContext

_COMBINED: dict[str, Any] = {
    "scatter": lambda old, new: new,
    "scatter-add": lax.add,
    "scatter-sub": lax.sub,
    "scatter-mul": lax.mul,
    "scatter-min": lax.min,
    "scatter-max": lax.max,
}


def scatter(context: PaddingContext, operand: PaddedValue, indices: PaddedValue, update: PaddedValue) -> PaddedValue:
    """Combine windows of updates into the operand."""
    windows = _window_sizes(context, operand, update)
    start = fixed_start(context, operand, indices, windows)
    if start is not None and context.equation.primitive.name == "scatter-add" and is_same_value(operand.constant, 0):
        return _placed(context, operand, update, start)
    if any(is_symbolic(size) and not is_equal(size, operand.shape[axis]) for axis, size in windows.items()):
        return _scatter_one_window(context, operand, indices, update, windows)
    columns = _bounded_columns(context, operand, as_index(indices.array), windows)
    ragged = symbolic_axes(indices.shape[:-1])
    if ragged and columns:
        why = "updates in the padding would reach data"
        columns = context.drop_padding(columns, indices.shape[:-1], ragged, why)
    changed: dict[str, Any] = {"mode": lax.GatherScatterMode.FILL_OR_DROP}
    if ragged:
        changed |= {"indices_are_sorted": False, "unique_indices": False}
    index = jnp.stack(columns, -1) if columns else as_index(indices.array)
    (array,) = context.bind(operand.array, index, update.array, **changed)
    return context.result(array)


def _placed(context: PaddingContext, operand: PaddedValue, update: PaddedValue, start: dict[int, int]) -> PaddedValue:
    """One window added to zeros: the gradient of a slice is the update with zeros around it."""
    shifted = [axis for axis in symbolic_axes(update.shape) if not is_equal(update.shape[axis], operand.shape[axis])]
    why = "padding of the update would be added to data"
    update = context.mask(update, shifted, zero(update.dtype), why, is_added=True)
    around = [
        (start.get(axis, 0), context.capacity(whole) - start.get(axis, 0) - part, 0)
        for axis, (whole, part) in enumerate(zip(operand.shape, update.array.shape, strict=True))
    ]
    array = lax.pad(update.array, jnp.zeros((), update.dtype), around)
    padding = {
        axis: zero(update.dtype) if axis in shifted else update.padding_of(axis)
        for axis in symbolic_axes(operand.shape)
    }
    return context.result(array, padding=known_beside_zeros(padding))


def _window_sizes(context: PaddingContext, operand: PaddedValue, update: PaddedValue) -> dict[int, Any]:
    """For each operand axis that a window covers, the window's size along it."""
    numbers = context.equation.params["dimension_numbers"]
    left_out = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    axes = [axis for axis in range(len(operand.shape)) if axis not in left_out]
    return {axis: update.shape[place] for axis, place in zip(axes, numbers.update_window_dims, strict=True)}


def _bounded_columns(context: PaddingContext, operand: PaddedValue, index: Any, windows: dict[int, Any]) -> list[Any]:
    mode = lax.GatherScatterMode.from_any(context.equation.params["mode"])
    columns = []
    for place, axis in enumerate(context.equation.params["dimension_numbers"].scatter_dims_to_operand_dims):
        column = index[..., place]
        last = greatest_start(context, operand.shape[axis], windows.get(axis, 1), column.dtype)
        if mode == lax.GatherScatterMode.CLIP:
            column = jnp.clip(column, 0, last)
        else:
            inside = (column >= 0) & (column <= last)
            column = jnp.where(inside, column, jnp.asarray(OUT_OF_BOUNDS, column.dtype))
        columns.append(column)
    return columns


def _scatter_one_window(
    context: PaddingContext,
    operand: PaddedValue,
    indices: PaddedValue,
    update: PaddedValue,
    windows: dict[int, Any],
) -> PaddedValue:
    """One window of ragged size: read, combine where valid, write back."""
    numbers = context.equation.params["dimension_numbers"]
    if len(indices.shape) != 1 or numbers.operand_batching_dims:
        raise context.refusal("it scatters many windows whose size is ragged and not the whole axis")
    shape = tuple(windows.get(axis, 1) for axis in range(len(operand.shape)))
    new = lax.expand_dims(update.array, numbers.inserted_window_dims)
    start, is_inside = _window_start(context, operand, as_index(indices.array), shape)
    array = operand.array
    for axis, (whole, part) in enumerate(zip(operand.shape, shape, strict=True)):
        if is_symbolic(part) and not is_equal(whole, part) and not holds_beyond(context, whole, part):
            array = resized(array, axis, array.shape[axis] + context.capacity(part))
    old = lax.dynamic_slice(array, start, new.shape)
    combined = _COMBINED[context.equation.primitive.name](old, new)
    why = "the padding of the update would overwrite data"
    combined = context.keep_outside(combined, old, shape, symbolic_axes(shape), why)
    combined = jnp.where(is_inside, combined, old)
    array = lax.dynamic_update_slice(array, combined, start)
    for axis, whole in enumerate(operand.shape):
        array = resized(array, axis, context.capacity(whole))
    return context.result(array)


def _window_start(context: PaddingContext, operand: PaddedValue, index: Any, shape: tuple[Any, ...]) -> Any:
    mode = lax.GatherScatterMode.from_any(context.equation.params["mode"])
    start: list[Any] = [jnp.asarray(0, index.dtype)] * len(operand.shape)
    is_inside: Any = jnp.asarray(True)
    for place, axis in enumerate(context.equation.params["dimension_numbers"].scatter_dims_to_operand_dims):
        last = greatest_start(context, operand.shape[axis], shape[axis], index.dtype)
        start[axis] = jnp.clip(index[place], 0, last)
        if mode != lax.GatherScatterMode.CLIP:
            is_inside = is_inside & (index[place] >= 0) & (index[place] <= last)
    return start, is_inside


RULES = dict.fromkeys(_COMBINED, scatter)
