"""Padding of one argument, on the host: a pad on the device would compile once per size."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from stagelight.adapters.symbolic_context import is_tracer
from stagelight.bucketing.padded_value import is_key_dtype

# Not the greatest integer itself: one more than it must not wrap around in a test of the padding.
_POISON_BELOW_GREATEST = 6


def padded(leaf: Any, shape: tuple[int, ...], *, poison: bool) -> Any:
    """An array extended to a shape with zeros, or with NaN and huge integers.

    An array that has the shape already is given back as it is, and stays on its device. A committed one goes back to
    its device or sharding.
    """
    if leaf.shape == shape:
        return leaf
    if is_key_dtype(leaf.dtype):
        return _padded_keys(leaf, shape)
    if is_tracer(leaf):
        value = poison_value(leaf.dtype) if poison else np.zeros((), leaf.dtype)
        extension = [(0, long - short, 0) for long, short in zip(shape, leaf.shape, strict=True)]
        return lax.pad(leaf, jnp.asarray(value, leaf.dtype), extension)
    buffer = _extended(np.asarray(leaf), shape, poison=poison)
    return jax.device_put(buffer, leaf.sharding) if isinstance(leaf, jax.Array) and leaf.committed else buffer


def poison_value(dtype: Any) -> Any:
    """NaN for floats, a huge number for integers, true for booleans."""
    if jnp.issubdtype(dtype, jnp.inexact):
        return np.array(np.nan, dtype)
    if np.dtype(dtype) == np.bool_:
        return np.array(True)
    return np.array(jnp.iinfo(dtype).max - _POISON_BELOW_GREATEST, dtype)


def _extended(array: np.ndarray, shape: tuple[int, ...], *, poison: bool) -> np.ndarray:
    if poison:
        buffer = np.full(shape, poison_value(array.dtype), array.dtype)
    else:
        buffer = np.empty(shape, array.dtype)
        for axis, size in enumerate(array.shape):
            if shape[axis] != size:
                buffer[(slice(None),) * axis + (slice(size, None),)] = 0
    buffer[tuple(map(slice, array.shape))] = array
    return buffer


def _padded_keys(keys: Any, shape: tuple[int, ...]) -> Any:
    words = jax.random.key_data(keys)
    return jax.random.wrap_key_data(
        padded(words, (*shape, *words.shape[len(shape) :]), poison=False), impl=jax.random.key_impl(keys)
    )
