"""Convolution: zeros in the padding of both sides, and high padding counted anew from the capacities."""

from typing import Any

import jax.numpy as jnp
from jax import lax

from stagelight.bucketing.dimensions import is_symbolic
from stagelight.bucketing.layout import shifted_right
from stagelight.bucketing.padded_value import PaddedValue, zero
from stagelight.bucketing.padding_context import PaddingContext

_WHY = "padding would take part in the sum of a window"


def conv_general_dilated(context: PaddingContext, left: PaddedValue, right: PaddedValue) -> PaddedValue:
    """Convolve padded arrays so that the output has exactly its capacity of windows."""
    parameters = context.equation.params
    numbers = parameters["dimension_numbers"]
    _refuse_ragged_groups(context, left, right)
    left_mixed, right_mixed = numbers.lhs_spec[1:], numbers.rhs_spec[1:]
    if any(is_symbolic(left.shape[a]) for a in left_mixed) or any(is_symbolic(right.shape[a]) for a in right_mixed):
        left = context.mask(left, left_mixed, zero(left.dtype), _WHY)
        right = context.mask(right, right_mixed, zero(right.dtype), _WHY)
    array, padding = left.array, []
    for place, axis in enumerate(numbers.lhs_spec[2:]):
        low = parameters["padding"][place][0]
        if is_symbolic(low):
            array, low = _padded_low(context, array, axis, low, parameters["lhs_dilation"][place]), 0
        padding.append((int(low), _high(context, array.shape[axis], right, place, int(low))))
    changed = {**parameters, "padding": tuple(padding), "dimension_numbers": numbers}
    (result,) = context.bind(array, right.array, **changed)
    return context.result(result)


def _refuse_ragged_groups(context: PaddingContext, left: PaddedValue, right: PaddedValue) -> None:
    parameters = context.equation.params
    numbers = parameters["dimension_numbers"]
    batch, features = numbers.lhs_spec[:2]
    if parameters["batch_group_count"] != 1 and is_symbolic(left.shape[batch]):
        raise context.refusal("it cuts a ragged batch into groups")
    ragged_features = is_symbolic(left.shape[features]) or is_symbolic(right.shape[numbers.rhs_spec[0]])
    if parameters["feature_group_count"] != 1 and ragged_features:
        raise context.refusal("it cuts ragged features into groups")


def _padded_low(context: PaddingContext, array: Any, axis: int, low: Any, dilation: int) -> Any:
    """Low padding that depends on the true size (SAME with a stride) is a shift at run time."""
    least, greatest = context.bounds(low)
    if dilation != 1 or least < 0:
        raise context.refusal("its padding in front depends on the size, and is negative or dilated")
    extension = [(0, greatest if a == axis else 0, 0) for a in range(array.ndim)]
    return shifted_right(lax.pad(array, jnp.zeros((), array.dtype), extension), axis, context.size(low), greatest)


def _high(context: PaddingContext, length: int, right: PaddedValue, place: int, low: int) -> int:
    """The padding behind an axis that leaves exactly the output's capacity of windows."""
    parameters = context.equation.params
    numbers = parameters["dimension_numbers"]
    windows = context.capacity(context.equation.outvars[0].aval.shape[numbers.out_spec[2 + place]])
    dilated = (length - 1) * parameters["lhs_dilation"][place] + 1
    kernel = (right.array.shape[numbers.rhs_spec[2 + place]] - 1) * parameters["rhs_dilation"][place] + 1
    return (windows - 1) * parameters["window_strides"][place] + kernel - dilated - low


RULES = {"conv_general_dilated": conv_general_dilated}
