"""Reshape: free where a ragged axis stays the leading one of its group, a gather where it does not."""

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from stagelight.bucketing.dimensions import is_equal, is_symbolic
from stagelight.bucketing.layout import packed_anew
from stagelight.bucketing.padded_value import PaddedValue
from stagelight.bucketing.padding_context import PaddingContext

type Axes = list[tuple[int, Any]]  # an axis and its dimension


def reshape(context: PaddingContext, operand: PaddedValue, *_: PaddedValue) -> PaddedValue:
    """The same elements in another shape."""
    shape = context.equation.outvars[0].aval.shape
    capacities = context.capacities(shape)
    groups = _groups(operand.shape, shape)
    if groups is not None and all(_stays_a_prefix(context, *group) for group in groups):
        padding = {after[0][0]: _padding(operand, before) for before, after in groups if before and after}
        array = lax.reshape(operand.array, capacities)
        return context.result(array, padding=padding, constant=operand.constant)
    if operand.constant is not None:
        array = jnp.full(capacities, operand.constant, operand.dtype)
        return context.result(array, constant=operand.constant)
    return context.result(packed_anew(context, operand, shape))


def _stays_a_prefix(context: PaddingContext, before: Axes, after: Axes) -> bool:
    if len(before) == len(after) == 1:
        return True
    if any(is_symbolic(dimension) for _, dimension in (*before[1:], *after[1:])):
        return False
    return math.prod(context.capacity(d) for _, d in before) == math.prod(context.capacity(d) for _, d in after)


def _padding(operand: PaddedValue, before: Axes) -> Any:
    axis, dimension = before[0]
    return operand.padding.get(axis) if is_symbolic(dimension) else None


def _groups(before: Sequence[Any], after: Sequence[Any]) -> list[tuple[Axes, Axes]] | None:
    """Two shapes cut into the smallest consecutive groups of equal products, axes of length 1 left out."""
    left, right = _axes(before), _axes(after)
    groups: list[tuple[Axes, Axes]] = []
    while left or right:
        group = (left[:1], right[:1])
        left, right = left[1:], right[1:]
        while not is_equal(_product(group[0]), _product(group[1])):
            if left and (not right or _is_provably_below(_product(group[0]), _product(group[1]))):
                group[0].append(left.pop(0))
            elif right:
                group[1].append(right.pop(0))
            else:
                return None
        groups.append(group)
    return groups


def _axes(shape: Sequence[Any]) -> Axes:
    return [(axis, size) for axis, size in enumerate(shape) if is_symbolic(size) or size != 1]


def _product(axes: Axes) -> Any:
    return math.prod((dimension for _, dimension in axes), start=1)


def _is_provably_below(one: Any, other: Any) -> bool:
    try:
        return bool(one < other)
    except Exception:  # JAX cannot compare them: any order of growth is right, this one is only a guess
        return False


RULES = {"reshape": reshape}
