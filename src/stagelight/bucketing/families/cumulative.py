"""Running sums and their kin: forwards, padding comes after every valid element; in reverse, before it."""

from stagelight.bucketing.padded_value import PaddedValue, highest, lowest, one, zero
from stagelight.bucketing.padding_context import PaddingContext

_NEUTRAL = {"cumsum": zero, "cumprod": one, "cummax": lowest, "cummin": highest, "cumlogsumexp": lowest}


def cumulate(context: PaddingContext, operand: PaddedValue) -> PaddedValue:
    """Neutral padding where the axis runs in reverse, nothing where it does not."""
    axis = context.equation.params["axis"]
    if context.equation.params["reverse"]:
        neutral = _NEUTRAL[context.equation.primitive.name](operand.dtype)
        operand = context.mask(operand, (axis,), neutral, "in reverse, padding comes before the first element")
    (array,) = context.bind(operand.array)
    return context.result(array)


RULES = dict.fromkeys(_NEUTRAL, cumulate)
