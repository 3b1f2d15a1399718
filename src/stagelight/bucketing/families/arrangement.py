"""Concatenation, padding and reversal: valid elements move to run-time offsets."""

from typing import Any

import jax.numpy as jnp
from jax import lax

from stagelight.bucketing.dimensions import is_symbolic
from stagelight.bucketing.layout import resized
from stagelight.bucketing.padded_value import PaddedValue, is_same_value, known_beside_zeros, same_padding, zero
from stagelight.bucketing.padding_context import PaddingContext


def reverse(context: PaddingContext, operand: PaddedValue) -> PaddedValue:
    """Reversed, then moved back so that the valid elements come first."""
    axes = context.equation.params["dimensions"]
    array, ragged = lax.rev(operand.array, axes), [axis for axis in axes if is_symbolic(operand.shape[axis])]
    for axis in ragged:
        capacity = array.shape[axis]
        start = capacity - context.size(operand.shape[axis])
        array = lax.dynamic_slice_in_dim(resized(array, axis, 2 * capacity), start, capacity, axis)
    padding = {axis: known for axis, known in operand.padding.items() if axis not in axes}
    return context.result(array, padding=known_beside_zeros(padding) if ragged else padding)


def concatenate(context: PaddingContext, *operands: PaddedValue) -> PaddedValue:
    """Each part is written where the true size of the parts before it ends, so padding is overwritten."""
    along = context.equation.params["dimension"]
    shape = context.equation.outvars[0].aval.shape
    parts = list(operands)
    padding = {axis: same_padding(parts, axis) for axis in range(len(shape)) if axis != along}
    if not is_symbolic(shape[along]) and not any(is_symbolic(part.shape[along]) for part in parts):
        return context.result(lax.concatenate([part.array for part in parts], along), padding=padding)
    total = sum(part.array.shape[along] for part in parts)
    buffer, start = resized(parts[0].array, along, total), parts[0].shape[along]
    for part in parts[1:]:
        buffer = lax.dynamic_update_slice_in_dim(buffer, part.array, context.size(start), along)
        start = start + part.shape[along]
    ragged = [part for part in parts if is_symbolic(part.shape[along])]
    if all(is_same_value(part.padding_of(along), zero(part.dtype)) for part in ragged):
        padding[along] = zero(buffer.dtype)
    array = resized(buffer, along, context.capacity(shape[along]))
    return context.result(array, padding=known_beside_zeros(padding))


def pad(context: PaddingContext, operand: PaddedValue, value: PaddedValue) -> PaddedValue:
    """What stands behind or between elements would be padding, so padding takes the value first."""
    shape = context.equation.outvars[0].aval.shape
    physical, moved = [], []
    for axis, (low, high, between) in enumerate(context.equation.params["padding_config"]):
        if not is_symbolic(operand.shape[axis]) and not is_symbolic(shape[axis]):
            physical.append((int(low), int(high), int(between)))
            continue
        if is_symbolic(between):
            raise context.refusal("its padding between elements depends on a size")
        if is_symbolic(low):
            moved.append((axis, low))
        if is_symbolic(high) or high > 0 or is_symbolic(low):
            neutral = value.array if value.constant is None else value.constant
            operand = context.mask(operand, (axis,), neutral, "padding would stand where the pad value is due")
        length = operand.array.shape[axis]
        dilated = (length - 1) * int(between) + length if length else 0
        front = 0 if is_symbolic(low) else int(low)
        physical.append((front, context.capacity(shape[axis]) - dilated - front, int(between)))
    fill = jnp.asarray(value.array, operand.dtype)
    array = lax.pad(operand.array, fill, physical)
    for axis, low in moved:
        array = _moved_behind(context, array, axis, low, fill)
    return context.result(array, padding={} if moved else _padding(operand, value.constant, physical))


def _moved_behind(context: PaddingContext, array: Any, axis: int, low: Any, fill: Any) -> Any:
    """An array moved behind padding whose length depends on a size."""
    least, greatest = context.bounds(low)
    if least < 0:
        raise context.refusal("its padding in front depends on a size and may be negative")
    front = [(greatest, 0, 0) if a == axis else (0, 0, 0) for a in range(array.ndim)]
    extended = lax.pad(array, fill, front)
    return lax.dynamic_slice_in_dim(extended, greatest - context.size(low), array.shape[axis], axis)


def _padding(operand: PaddedValue, value: Any, physical: list[tuple[int, int, int]]) -> dict[int, Any]:
    """Known padding holds for all other indices, so every axis that grew must have grown by the same value."""
    grown = {axis for axis, amount in enumerate(physical) if amount != (0, 0, 0)}
    known = operand.known_padding()
    return {
        axis: padding
        for axis, padding in known.items()
        if (not grown or is_same_value(padding, value)) and (axis not in grown or physical[axis][0] >= 0)
    }


RULES = {"rev": reverse, "concatenate": concatenate, "pad": pad}
