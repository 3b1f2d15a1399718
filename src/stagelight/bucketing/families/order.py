"""Sorting and the greatest elements: padding takes the last place of the order."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from stagelight.bucketing.dimensions import is_symbolic
from stagelight.bucketing.padded_value import PaddedValue, highest, is_key_dtype, lowest
from stagelight.bucketing.padding_context import PaddingContext


def sort(context: PaddingContext, *operands: PaddedValue) -> list[PaddedValue]:
    """Every key of a padded element is the last of ``lax.sort``'s total order.

    A stable sort leaves padding behind valid elements even on ties, such as a valid NaN or a valid greatest integer.
    """
    axis, keys = context.equation.params["dimension"], context.equation.params["num_keys"]
    if not is_symbolic(operands[0].shape[axis]):
        return context.results(context.bind(*(operand.array for operand in operands)))
    why = "padding must come last in the order"
    sorted_keys = [context.mask(key, (axis,), _last(context, key.dtype), why) for key in operands[:keys]]
    arrays = [operand.array for operand in (*sorted_keys, *operands[keys:])]
    return context.results(context.bind(*arrays, is_stable=True))


def top_k(context: PaddingContext, operand: PaddedValue) -> list[PaddedValue]:
    """The greatest elements; ties go to the first index, so valid elements win over padding."""
    axis = context.equation.params.get("axis", len(operand.shape) - 1) % len(operand.shape)
    if is_symbolic(context.equation.params["k"]):
        raise context.refusal("how many elements it gives depends on a size")
    operand = context.mask(operand, (axis,), lowest(operand.dtype), "padding could be among the greatest")
    return context.results(context.bind(operand.array))


def _last(context: PaddingContext, dtype: Any) -> Any:
    if is_key_dtype(dtype):
        raise context.refusal("random keys have no order")
    if jnp.issubdtype(dtype, jnp.complexfloating):
        return np.array(complex(np.nan, np.nan), dtype)[()]
    return np.array(np.nan, dtype)[()] if jnp.issubdtype(dtype, jnp.floating) else highest(dtype)


RULES = {"sort": sort, "top_k": top_k}
