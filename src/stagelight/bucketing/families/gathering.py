"""Gather: indices are clamped or filled against the true size."""

from typing import Any

import jax.numpy as jnp
from jax import lax

from stagelight.bucketing.dimensions import has_symbolic, is_equal, is_symbolic
from stagelight.bucketing.indices import as_index, fixed_start, greatest_start, holds_beyond
from stagelight.bucketing.layout import resized
from stagelight.bucketing.padded_value import PaddedValue
from stagelight.bucketing.padding_context import OUT_OF_BOUNDS, PaddingContext


def gather(context: PaddingContext, operand: PaddedValue, indices: PaddedValue) -> PaddedValue:
    """Take windows of the operand; those of padded indices are padding."""
    parameters = context.equation.params
    numbers, sizes = parameters["dimension_numbers"], parameters["slice_sizes"]
    mode = lax.GatherScatterMode.from_any(parameters["mode"])
    array, index = operand.array, as_index(indices.array)
    windows = {axis: size for axis, size in enumerate(sizes) if axis in _kept_axes(numbers, sizes)}
    start = fixed_start(context, operand, indices, windows)
    if start is not None:
        return _window_at(context, operand, start)
    columns, is_changed = [], False
    for place, axis in enumerate(numbers.start_index_map):
        column = index[..., place]
        if is_symbolic(operand.shape[axis]) or is_symbolic(sizes[axis]):
            is_changed = True
            column = _bounded(context, column, operand.shape[axis], sizes[axis], mode)
            array = _roomy(context, array, axis, operand.shape[axis], sizes[axis])
        columns.append(column)
    is_ragged = has_symbolic(indices.shape)
    taken = lax.gather(
        array,
        jnp.stack(columns, -1) if is_changed else index,
        numbers,
        context.capacities(sizes),
        mode=mode,
        fill_value=parameters["fill_value"],
        indices_are_sorted=bool(parameters["indices_are_sorted"]) and not is_ragged and not is_changed,
        unique_indices=bool(parameters["unique_indices"]) and not is_ragged,
    )
    return context.result(taken)


def _kept_axes(numbers: Any, sizes: tuple[Any, ...]) -> set[int]:
    return set(range(len(sizes))) - {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}


def _window_at(context: PaddingContext, operand: PaddedValue, start: dict[int, int]) -> PaddedValue:
    """One window at a fixed place is a slice; what is beyond the operand's end stays beyond the window's."""
    shape, array = context.equation.outvars[0].aval.shape, operand.array
    padding = {}
    for axis, first in start.items():
        array = lax.slice_in_dim(array, first, first + context.capacity(shape[axis]), axis=axis)
        if is_equal(operand.shape[axis], shape[axis] + first):
            padding[axis] = operand.padding.get(axis)
    return context.result(array, padding=padding, constant=operand.constant)


def _bounded(context: PaddingContext, column: Any, whole: Any, part: Any, mode: Any) -> Any:
    last = greatest_start(context, whole, part, column.dtype)
    if mode == lax.GatherScatterMode.FILL_OR_DROP:
        return jnp.where((column >= 0) & (column <= last), column, jnp.asarray(OUT_OF_BOUNDS, column.dtype))
    # XLA clamps even where the indices are promised to be in bounds, and JAX's own gradient of a clipped scatter
    # counts on it (jax/_src/lax/slicing.py `_scatter_jvp`).
    return jnp.clip(column, 0, last)


def _roomy(context: PaddingContext, array: Any, axis: int, whole: Any, part: Any) -> Any:
    if not is_symbolic(part) or is_equal(part, whole) or holds_beyond(context, whole, part):
        return array
    return resized(array, axis, array.shape[axis] + context.capacity(part))


RULES = {"gather": gather}
