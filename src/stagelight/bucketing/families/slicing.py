"""Slices at fixed and at run-time offsets, clamped against the true size and not against the capacity."""

from typing import Any

import jax.numpy as jnp
from jax import lax

from stagelight.bucketing.dimensions import is_equal, is_symbolic
from stagelight.bucketing.indices import as_index, greatest_start, holds_beyond
from stagelight.bucketing.layout import resized, window
from stagelight.bucketing.padded_value import PaddedValue, known_beside_zeros
from stagelight.bucketing.padding_context import PaddingContext


def slice_at_fixed_offsets(context: PaddingContext, operand: PaddedValue) -> PaddedValue:
    """``operand[start:limit:stride]`` where start and limit may depend on a size."""
    parameters, array = context.equation.params, operand.array
    shape = context.equation.outvars[0].aval.shape
    strides = parameters["strides"] or (1,) * len(shape)
    padding, is_extended = {}, False
    for axis, (start, limit, stride) in enumerate(
        zip(parameters["start_indices"], parameters["limit_indices"], strides, strict=True)
    ):
        if is_symbolic(stride):
            raise context.refusal("its stride depends on a size")
        length = max((context.capacity(shape[axis]) - 1) * int(stride) + 1, 0)
        is_extended |= is_symbolic(start) or int(start) + length > array.shape[axis]
        array = window(array, axis, context.size(start), length)
        array = lax.slice_in_dim(array, 0, length, int(stride), axis)
        if is_equal(limit, operand.shape[axis]):  # what was beyond the size is beyond the limit
            padding[axis] = operand.padding.get(axis)
    if is_extended:
        return context.result(array, padding=known_beside_zeros(padding))
    return context.result(array, padding=padding, constant=operand.constant)


def dynamic_slice(context: PaddingContext, operand: PaddedValue, *starts: PaddedValue) -> PaddedValue:
    """A window at a run-time offset, clamped so that it ends within the true size."""
    shape = context.equation.outvars[0].aval.shape
    array, offsets, padding = operand.array, [], {}
    for axis, (whole, part) in enumerate(zip(operand.shape, shape, strict=True)):
        if is_equal(whole, part):
            offsets.append(_zero_like(starts))
            padding[axis] = operand.padding.get(axis)
            continue
        offsets.append(_clamped(context, starts[axis], whole, part))
        if is_symbolic(part) and not holds_beyond(context, whole, part):
            array = resized(array, axis, array.shape[axis] + context.capacity(part))
    sliced = lax.dynamic_slice(array, offsets, context.capacities(shape))
    return context.result(sliced, padding=known_beside_zeros(padding) if array is not operand.array else padding)


def dynamic_update_slice(
    context: PaddingContext, operand: PaddedValue, update: PaddedValue, *starts: PaddedValue
) -> PaddedValue:
    """Write a window at a run-time offset; the padding of a ragged window writes nothing."""
    array, offsets, partial = operand.array, [], []
    for axis, (whole, part) in enumerate(zip(operand.shape, update.shape, strict=True)):
        if is_equal(whole, part):
            offsets.append(_zero_like(starts))
            continue
        offsets.append(_clamped(context, starts[axis], whole, part))
        if is_symbolic(part):
            partial.append(axis)
            if not holds_beyond(context, whole, part):
                array = resized(array, axis, array.shape[axis] + context.capacity(part))
    written = update.array
    if partial:
        old = lax.dynamic_slice(array, offsets, written.shape)
        why = "the padding of the update would overwrite data"
        written = context.keep_outside(written, old, update.shape, partial, why)
    array = lax.dynamic_update_slice(array, written, offsets)
    for axis in partial:
        array = resized(array, axis, context.capacity(operand.shape[axis]))
    return context.result(array)


def _clamped(context: PaddingContext, start: PaddedValue, whole: Any, part: Any) -> Any:
    index = as_index(start.array)
    return jnp.clip(index, 0, greatest_start(context, whole, part, index.dtype))


def _zero_like(starts: tuple[PaddedValue, ...]) -> Any:
    # All offsets of one slice need one dtype.
    return jnp.zeros((), as_index(starts[0].array).dtype)


RULES = {
    "slice": slice_at_fixed_offsets,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
}
