"""Reductions by any function of two values: each value carries whether it is real, and padding is skipped.

A neutral element is not known, and the initial value need not be one, so it cannot stand in the padding.
"""

from typing import Any

import jax.numpy as jnp
from jax import lax

from stagelight.adapters.symbolic_equations import JaxprParts
from stagelight.bucketing.dimensions import is_symbolic
from stagelight.bucketing.padded_value import PaddedValue
from stagelight.bucketing.padding_context import PaddingContext


def reduce(context: PaddingContext, *operands: PaddedValue) -> list[PaddedValue]:
    """Reduce pairs of value and validity."""
    count = len(operands) // 2
    arrays, initial = operands[:count], operands[count:]
    axes = tuple(int(axis) for axis in context.equation.params["dimensions"])
    ragged = [axis for axis in axes if is_symbolic(arrays[0].shape[axis])]
    if not ragged:
        return context.results(context.bind(*(operand.array for operand in operands)))
    valid = context.mask(_all_true(context, arrays[0]), ragged, False, "padding would take part in the reduction")
    combine = _skipping(context, context.equation.params["jaxpr"])
    reduced = lax.reduce(
        ([array.array for array in arrays], valid.array),
        ([start.array for start in initial], jnp.asarray(True)),
        combine,
        axes,
    )
    return context.results(reduced[0])


def _all_true(context: PaddingContext, like: PaddedValue) -> PaddedValue:
    return PaddedValue(jnp.ones(context.capacities(like.shape), bool), like.shape, {}, None)


def _skipping(context: PaddingContext, jaxpr: Any) -> Any:
    """The user's function, lifted to values that may be padding."""
    outputs = [variable.aval for variable in JaxprParts(jaxpr).outputs]

    def combine(left: Any, right: Any) -> Any:
        (lefts, is_left), (rights, is_right) = left, right
        operands = [PaddedValue(value, ()) for value in (*lefts, *rights)]
        both = [value.array for value in context.child().interpret(jaxpr, operands)]
        chosen = [
            jnp.where(is_left & is_right, joined.astype(aval.dtype), jnp.where(is_left, one, other))
            for joined, one, other, aval in zip(both, lefts, rights, outputs, strict=True)
        ]
        return chosen, is_left | is_right

    return combine


RULES = {"reduce": reduce}
