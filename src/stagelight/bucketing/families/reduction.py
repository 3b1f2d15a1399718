"""Reductions: padding along the reduced axes becomes neutral first."""

from typing import Any

from stagelight.bucketing.dimensions import is_symbolic
from stagelight.bucketing.padded_value import PaddedValue, all_bits, highest, is_same_value, lowest, one, zero
from stagelight.bucketing.padding_context import PaddingContext

# Ties of argmax and argmin go to the first index, so valid elements win over padding.
_NEUTRAL = {
    "reduce_sum": zero,
    "reduce_prod": one,
    "reduce_max": lowest,
    "reduce_min": highest,
    "reduce_and": all_bits,
    "reduce_or": zero,
    "reduce_xor": zero,
    "argmax": lowest,
    "argmin": highest,
}
# Reducing nothing but neutral elements gives the neutral element again, so padding of the kept axes stays known.
_KEEPS_NEUTRAL = ("reduce_sum", "reduce_max", "reduce_min", "reduce_and", "reduce_or", "reduce_xor")


def reduce(context: PaddingContext, operand: PaddedValue) -> PaddedValue:
    """Reduce the axes with neutral padding."""
    name = context.equation.primitive.name
    axes = tuple(int(axis) for axis in context.equation.params["axes"])
    neutral = _NEUTRAL[name](operand.dtype)
    if any(is_symbolic(operand.shape[axis]) for axis in axes):
        if neutral is None:
            raise context.refusal(f"the dtype {operand.dtype} has no neutral element")
        why = "padding would take part in the reduction"
        operand = context.mask(operand, axes, neutral, why, is_added=name == "reduce_sum")
    (array,) = context.bind(operand.array)
    kept = [axis for axis in range(len(operand.shape)) if axis not in axes]
    padding = {place: _known(name, operand.padding_of(axis), neutral) for place, axis in enumerate(kept)}
    return context.result(array, padding=padding)


def _known(name: str, known: Any, neutral: Any) -> Any:
    return neutral if name in _KEEPS_NEUTRAL and is_same_value(known, neutral) else None


RULES = dict.fromkeys(_NEUTRAL, reduce)
