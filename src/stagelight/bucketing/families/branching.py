"""Branches on one value: each branch is a program of its own over the same padded operands."""

from collections.abc import Sequence
from typing import Any

from jax import lax

from stagelight.bucketing.padded_value import PaddedValue, is_key_dtype
from stagelight.bucketing.padding_context import PaddingContext


def branch(context: PaddingContext, index: PaddedValue, *operands: PaddedValue) -> list[PaddedValue]:
    """Choose a branch at run time; what branches know of padding is not joined."""
    avals = [variable.aval for variable in context.equation.outvars]

    def runner(jaxpr: Any) -> Any:
        def run(arrays: Sequence[Any]) -> list[Any]:
            values = [
                PaddedValue(array, operand.shape, operand.padding, operand.constant)
                for array, operand in zip(arrays, operands, strict=True)
            ]
            results = context.child().interpret(jaxpr, values)
            return [
                result.array if is_key_dtype(aval.dtype) else lax.convert_element_type(result.array, aval.dtype)
                for result, aval in zip(results, avals, strict=True)
            ]

        return run

    branches = [runner(jaxpr) for jaxpr in context.equation.params["branches"]]
    return context.results(lax.switch(index.array, branches, [operand.array for operand in operands]))


RULES = {"cond": branch}
