"""Windows that slide over an axis: neutral padding, and high padding counted anew from the capacities."""

import math
from typing import Any

from jax import lax

from stagelight.bucketing.dimensions import is_symbolic, symbolic_axes
from stagelight.bucketing.layout import resized
from stagelight.bucketing.padded_value import PaddedValue, highest, lowest, zero
from stagelight.bucketing.padding_context import PaddingContext

_NEUTRAL = {"reduce_window_sum": zero, "reduce_window_max": lowest, "reduce_window_min": highest}
_WHY = "padding would take part in a window"


def reduce_window(context: PaddingContext, operand: PaddedValue) -> PaddedValue:
    """A window reduction with a neutral element."""
    neutral = _NEUTRAL[context.equation.primitive.name](operand.dtype)
    operand = context.mask(operand, _windowed_axes(context, operand.shape), neutral, _WHY)
    array, changed = _fitted(context, operand)
    (result,) = context.bind(array, **changed)
    return context.result(result)


def generic_reduce_window(context: PaddingContext, *operands: PaddedValue) -> list[PaddedValue]:
    """A window reduction by any function: beyond an array stands the initial value, so padding takes that too."""
    count = len(operands) // 2
    arrays = []
    for operand, initial in zip(operands[:count], operands[count:], strict=True):
        masked = context.mask(operand, _windowed_axes(context, operand.shape), initial.array, _WHY)
        array, changed = _fitted(context, masked)
        arrays.append(array)
    return context.results(context.bind(*arrays, *(initial.array for initial in operands[count:]), **changed))


def select_and_scatter_add(context: PaddingContext, source: PaddedValue, operand: PaddedValue) -> PaddedValue:
    """The gradient of a max-pool: padding is never selected and scatters nothing."""
    parameters = context.equation.params
    neutral = lowest(operand.dtype) if parameters["select_prim"].name in ("ge", "gt") else highest(operand.dtype)
    windowed = [axis for axis in symbolic_axes(operand.shape) if parameters["window_dimensions"][axis] != 1]
    operand = context.mask(operand, windowed, neutral, "padding could be selected from a window")
    source = context.mask(source, symbolic_axes(source.shape), zero(source.dtype), "padding would be scattered")
    scattered, padding = source.array, []
    for axis, (low, high) in enumerate(parameters["padding"]):
        if axis in windowed:
            scattered, high = _fitted_source(context, scattered, operand.array.shape[axis], axis, low)
        padding.append((int(low), int(high)))
    (result,) = context.bind(scattered, operand.array, padding=tuple(padding))
    return context.result(result)


def _windowed_axes(context: PaddingContext, shape: tuple[Any, ...]) -> list[int]:
    """The ragged axes along which a window is more than one element."""
    parameters = context.equation.params
    return [
        axis
        for axis in symbolic_axes(shape)
        if parameters["window_dimensions"][axis] != 1 or tuple(parameters["padding"][axis]) != (0, 0)
    ]


def _fitted(context: PaddingContext, operand: PaddedValue) -> tuple[Any, dict[str, Any]]:
    """An operand and window parameters that give exactly the output's capacity of windows."""
    parameters, array = context.equation.params, operand.array
    shape = context.equation.outvars[0].aval.shape
    padding = []
    for axis, (low, high) in enumerate(parameters["padding"]):
        if is_symbolic(operand.shape[axis]):
            array, high = _fitted_axis(context, array, axis, low, context.capacity(shape[axis]))
        padding.append((int(low), int(high)))
    windows = tuple(context.capacity(length) for length in parameters["window_dimensions"])
    return array, {"padding": tuple(padding), "window_dimensions": windows}


def _fitted_axis(context: PaddingContext, array: Any, axis: int, low: Any, windows: int) -> tuple[Any, int]:
    parameters = context.equation.params
    if is_symbolic(low) or is_symbolic(parameters["window_dimensions"][axis]):
        raise context.refusal("its window or its padding in front depends on the size")
    dilation = parameters["base_dilation"][axis]
    width = (parameters["window_dimensions"][axis] - 1) * parameters["window_dilation"][axis] + 1
    dilated = (array.shape[axis] - 1) * dilation + 1
    high = (windows - 1) * parameters["window_strides"][axis] + width - dilated - int(low)
    if high >= 0:
        return array, high
    if dilation != 1:
        raise context.refusal("a dilated axis would have to be cut")
    return lax.slice_in_dim(array, 0, array.shape[axis] + high, axis=axis), 0


def _fitted_source(context: PaddingContext, source: Any, length: int, axis: int, low: Any) -> tuple[Any, int]:
    parameters = context.equation.params
    if is_symbolic(low):
        raise context.refusal("its padding in front depends on the size")
    stride, width = parameters["window_strides"][axis], parameters["window_dimensions"][axis]
    high = (source.shape[axis] - 1) * stride + width - length - int(low)
    if high >= 0:
        return source, high
    more = math.ceil(-high / stride)  # windows whose source is zero scatter nothing
    return resized(source, axis, source.shape[axis] + more), high + more * stride


RULES = {
    **dict.fromkeys(_NEUTRAL, reduce_window),
    "reduce_window": generic_reduce_window,
    "select_and_scatter_add": select_and_scatter_add,
}
