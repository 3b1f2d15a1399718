"""Moving padded axes: longer or shorter, shifted by a run-time amount, or packed anew."""

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from stagelight.bucketing.padded_value import PaddedValue
from stagelight.bucketing.padding_context import PaddingContext

_INDEXABLE_ELEMENTS = 2**31


def resized(array: Any, axis: int, length: int) -> Any:
    """An array whose axis is cut or zero-extended at its end."""
    now = array.shape[axis]
    if now == length:
        return array
    if now > length:
        return lax.slice_in_dim(array, 0, length, axis=axis)
    extension = [(0, length - now if a == axis else 0, 0) for a in range(array.ndim)]
    return lax.pad(array, jnp.zeros((), array.dtype), extension)


def window(array: Any, axis: int, start: Any, length: int) -> Any:
    """``array[start : start + length]`` along an axis, where ``start`` may be a run-time value."""
    if isinstance(start, int) and start + length <= array.shape[axis]:
        return lax.slice_in_dim(array, start, start + length, axis=axis)
    return lax.dynamic_slice_in_dim(resized(array, axis, array.shape[axis] + length), start, length, axis)


def shifted_right(array: Any, axis: int, amount: Any, at_most: int) -> Any:
    """An array moved towards higher indices by a run-time amount, zeros in front, its length kept."""
    extension = [(at_most, 0, 0) if a == axis else (0, 0, 0) for a in range(array.ndim)]
    extended = lax.pad(array, jnp.zeros((), array.dtype), extension)
    return lax.dynamic_slice_in_dim(extended, at_most - amount, array.shape[axis], axis)


def row_major_index(context: PaddingContext, shape: Sequence[Any]) -> Any:
    """``int32[capacities]``: the index of each valid element in the unpadded row-major order."""
    capacities = context.capacities(shape)
    index, stride = jnp.zeros(capacities, jnp.int32), jnp.int32(1)
    for axis in reversed(range(len(shape))):
        index = index + lax.broadcasted_iota(jnp.int32, capacities, axis) * stride
        stride = stride * context.size_array(shape[axis])
    return index


def packed_anew(context: PaddingContext, value: PaddedValue, shape: Sequence[Any]) -> Any:
    """The elements of a value in another shape, gathered by their unpadded row-major index.

    Needed where a ragged axis stops being the leading one of a merge: valid elements are then no prefix of the buffer.
    """
    capacities = context.capacities(shape)
    if max(math.prod(capacities), math.prod(value.array.shape)) >= _INDEXABLE_ELEMENTS:
        raise context.refusal("an array of 2**31 or more elements cannot be packed anew")
    rest, physical, stride = row_major_index(context, shape), jnp.zeros(capacities, jnp.int32), 1
    for axis in reversed(range(len(value.shape))):
        size = jnp.maximum(context.size_array(value.shape[axis]), 1)
        physical = physical + (rest % size) * stride
        rest, stride = rest // size, stride * value.array.shape[axis]
    flat = lax.reshape(value.array, (math.prod(value.array.shape),))
    return jnp.take(flat, physical, mode="clip")
