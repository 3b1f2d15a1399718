"""Primitives that move whole axes: known padding moves with its axis."""

import jax.numpy as jnp
from jax import lax

from stagelight.bucketing.dimensions import is_equal, is_symbolic
from stagelight.bucketing.layout import window
from stagelight.bucketing.padded_value import PaddedValue, same_padding
from stagelight.bucketing.padding_context import PaddingContext


def broadcast_in_dim(context: PaddingContext, operand: PaddedValue, *_: PaddedValue) -> PaddedValue:
    """Repeat along new axes, up to their capacity."""
    shape = context.equation.outvars[0].aval.shape
    places = context.equation.params["broadcast_dimensions"]
    padding = {places[axis]: known for axis, known in operand.padding.items()}
    array = lax.broadcast_in_dim(operand.array, context.capacities(shape), places)
    return context.result(array, padding=padding, constant=operand.constant)


def transpose(context: PaddingContext, operand: PaddedValue) -> PaddedValue:
    """Axes in another order."""
    order = context.equation.params["permutation"]
    padding = {place: operand.padding.get(axis) for place, axis in enumerate(order)}
    return context.result(lax.transpose(operand.array, order), padding=padding, constant=operand.constant)


def squeeze(context: PaddingContext, operand: PaddedValue) -> PaddedValue:
    """Drop axes of length 1, which are never ragged: a ragged size is at least 2."""
    dropped = set(context.equation.params["dimensions"])
    if any(is_symbolic(operand.shape[axis]) for axis in dropped):
        raise context.refusal("it drops a ragged axis")
    kept = [axis for axis in range(len(operand.shape)) if axis not in dropped]
    padding = {place: operand.padding.get(axis) for place, axis in enumerate(kept)}
    return context.result(lax.squeeze(operand.array, tuple(dropped)), padding=padding, constant=operand.constant)


def stack(context: PaddingContext, *operands: PaddedValue) -> PaddedValue:
    """Arrays of one shape side by side on a new axis."""
    new = context.equation.params["axis"]
    shape = context.equation.outvars[0].aval.shape
    others = [axis for axis in range(len(shape)) if axis != new]
    padding = {axis: same_padding(list(operands), axis - (axis > new)) for axis in others}
    return context.result(jnp.stack([operand.array for operand in operands], new), padding=padding)


def unstack(context: PaddingContext, operand: PaddedValue) -> list[PaddedValue]:
    """The slices along an axis of fixed length."""
    axis = context.equation.params["axis"]
    if is_symbolic(operand.shape[axis]):
        raise context.refusal("a ragged axis has no fixed number of slices")
    padding = {place - (place > axis): known for place, known in operand.padding.items()}
    slices = [lax.index_in_dim(operand.array, index, axis, keepdims=False) for index in range(operand.shape[axis])]
    return [context.result(array, index, padding, operand.constant) for index, array in enumerate(slices)]


def split(context: PaddingContext, operand: PaddedValue) -> list[PaddedValue]:
    """Consecutive parts of an axis; parts of a ragged axis start at run-time offsets."""
    axis, sizes = context.equation.params["axis"], context.equation.params["sizes"]
    if not is_symbolic(operand.shape[axis]):
        arrays = lax.split(operand.array, [int(size) for size in sizes], axis)
        return [context.result(array, i, operand.padding, operand.constant) for i, array in enumerate(arrays)]
    parts, start = [], 0
    for index, size in enumerate(sizes):
        array = window(operand.array, axis, context.size(start), context.capacity(size))
        parts.append(context.result(array, index))
        start = start + size
    return parts


def tile(context: PaddingContext, operand: PaddedValue) -> PaddedValue:
    """Repetitions of the valid part, by index modulo the true size."""
    array = operand.array
    for axis, (before, after) in enumerate(zip(operand.shape, context.equation.outvars[0].aval.shape, strict=True)):
        if not is_equal(before, after):
            index = lax.iota(jnp.int32, context.capacity(after)) % jnp.maximum(context.size_array(before), 1)
            array = jnp.take(array, index, axis=axis, mode="clip")
    return context.result(array, constant=operand.constant)


RULES = {
    "broadcast_in_dim": broadcast_in_dim,
    "transpose": transpose,
    "squeeze": squeeze,
    "stack": stack,
    "unstack": unstack,
    "split": split,
    "tile": tile,
}
