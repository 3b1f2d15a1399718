"""Products that sum over axes: zero on both sides, because zero times NaN is NaN."""

from typing import Any

import numpy as np

from stagelight.bucketing.dimensions import is_symbolic
from stagelight.bucketing.padded_value import PaddedValue, zero
from stagelight.bucketing.padding_context import PaddingContext

_WHY = "padding would take part in the sum of products"


def dot_general(context: PaddingContext, left: PaddedValue, right: PaddedValue) -> PaddedValue:
    """Contract with zeros in the padding of the contracted axes."""
    (left_axes, right_axes), _ = context.equation.params["dimension_numbers"]
    for left_axis, right_axis in zip(left_axes, right_axes, strict=True):
        if not is_symbolic(left.shape[left_axis]) or _product_is_zero(left, left_axis, right, right_axis):
            continue
        left = context.mask(left, (left_axis,), zero(left.dtype), _WHY, is_added=True, is_stored=True)
        right = context.mask(right, (right_axis,), zero(right.dtype), _WHY, is_added=True, is_stored=True)
    (array,) = context.bind(left.array, right.array)
    return context.result(array)


def ragged_dot_general(
    context: PaddingContext, left: PaddedValue, right: PaddedValue, group_sizes: PaddedValue
) -> PaddedValue:
    """Rows of the left side in groups: padded rows come after all groups and meet no other row."""
    numbers = context.equation.params["ragged_dot_dimension_numbers"]
    (left_axes, _), (left_batch, _) = numbers.dot_dimension_numbers
    rows = set(range(len(left.shape))) - {*left_axes, *left_batch}
    ragged_left = {axis for axis, dimension in enumerate(left.shape) if is_symbolic(dimension)}
    fixed = not any(map(is_symbolic, (*right.shape, *group_sizes.shape)))
    if not fixed or not ragged_left <= rows or set(numbers.lhs_ragged_dimensions) != ragged_left:
        raise context.refusal("only the rows of its left operand may be ragged")
    (array,) = context.bind(left.array, right.array, group_sizes.array)
    return context.result(array)


def _product_is_zero(left: PaddedValue, left_axis: int, right: PaddedValue, right_axis: int) -> bool:
    """Whether every product in the padding is known to be zero: one side zero, the other finite."""
    known: list[Any] = [left.padding_of(left_axis), right.padding_of(right_axis)]
    if any(value is None for value in known):
        return False
    return all(bool(np.isfinite(value)) for value in known) and any(value == 0 for value in known)


RULES = {"dot_general": dot_general, "ragged_dot_general": ragged_dot_general}
