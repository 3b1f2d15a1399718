"""Run-time indices into ragged axes."""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from stagelight.bucketing.dimensions import is_symbolic
from stagelight.bucketing.padded_value import PaddedValue
from stagelight.bucketing.padding_context import PaddingContext


def as_index(index: Any) -> Any:
    """An index in ``int32`` (or ``int64``), so that comparing it with a size cannot wrap around.

    Unsigned indices beyond the signed range become its greatest value, which is out of every bound all the same.
    """
    dtype = np.dtype(index.dtype)
    signed = np.dtype(np.int64 if dtype.itemsize == 8 else np.int32)
    if dtype.kind == "u" and dtype.itemsize >= 4:
        index = lax.min(index, jnp.asarray(np.iinfo(signed).max, dtype))
    return lax.convert_element_type(index, signed)


def greatest_start(context: PaddingContext, whole: Any, part: Any, dtype: Any) -> Any:
    """The last offset at which a window of one size fits into another."""
    return jnp.asarray(context.size(whole) - context.size(part), dtype)


def holds_beyond(context: PaddingContext, whole: Any, part: Any) -> bool:
    """Whether a window's capacity fits physically at every offset at which its size fits."""
    if not is_symbolic(whole) and not is_symbolic(part):
        return True
    rest = whole - part
    return context.capacity(rest) + context.capacity(part) <= context.capacity(whole)


def fixed_start(
    context: PaddingContext, operand: PaddedValue, indices: PaddedValue, sizes: Mapping[int, Any]
) -> dict[int, int] | None:
    """Where along each axis a gather's or scatter's only window starts, if that is known and always within bounds.

    JAX traces ``x[1:]`` of a ragged axis to a gather, and its gradient to a scatter.
    """
    start = indices.constant
    if start is None or len(indices.shape) != 1 or len(sizes) != len(operand.shape):
        return None
    places = _indexed_axes(context.equation.params["dimension_numbers"])
    starts = {axis: int(start) if axis in places else 0 for axis in sizes}
    for axis, first in starts.items():
        whole, part = operand.shape[axis], sizes[axis]
        if not 0 <= first <= context.bounds(whole - part)[0]:
            return None
        if first + context.capacity(part) > context.capacity(whole):
            return None
    return starts


def _indexed_axes(numbers: Any) -> tuple[int, ...]:
    if hasattr(numbers, "start_index_map"):
        return tuple(numbers.start_index_map)
    return tuple(numbers.scatter_dims_to_operand_dims)
