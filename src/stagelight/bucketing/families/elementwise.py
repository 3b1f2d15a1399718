"""Elementwise primitives: padding stays where it is, and known padding is folded where the arithmetic is exact."""

from typing import Any

import numpy as np

from stagelight.bucketing.dimensions import is_symbolic, symbolic_axes
from stagelight.bucketing.padded_value import PaddedValue, is_key_dtype, is_same_value
from stagelight.bucketing.padding_context import PaddingContext

_FOLDED = {
    "neg": np.negative,
    "abs": np.abs,
    "add": np.add,
    "add_any": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "not": np.invert,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_UNCHANGED = ("copy", "copy_p", "stop_gradient", "name", "convert_element_type", "sharding_constraint")
_ZERO_AT_ZERO = frozenset(
    {
        "asin",
        "asinh",
        "atan",
        "atanh",
        "cbrt",
        "ceil",
        "erf",
        "expm1",
        "floor",
        "imag",
        "log1p",
        "real",
        "reduce_precision",
        "round",
        "sign",
        "sin",
        "sinh",
        "sqrt",
        "square",
        "tan",
        "tanh",
    }
)

_ONE_OPERAND = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i0e",
    "bessel_i1e",
    "cbrt",
    "ceil",
    "clz",
    "conj",
    "convert_element_type",
    "copy",
    "copy_p",
    "cos",
    "cosh",
    "device_put",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "imag",
    "integer_pow",
    "is_finite",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "logistic",
    "name",
    "neg",
    "not",
    "one_minus_square",
    "population_count",
    "real",
    "reduce_precision",
    "round",
    "rsqrt",
    "sharding_constraint",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "stop_gradient",
    "tan",
    "tanh",
]
_MORE_OPERANDS = [
    "add",
    "add_any",
    "and",
    "atan2",
    "clamp",
    "complex",
    "div",
    "eq",
    "eq_to",
    "ge",
    "gt",
    "igamma",
    "igamma_grad_a",
    "igammac",
    "le",
    "le_to",
    "lt",
    "lt_to",
    "max",
    "min",
    "mul",
    "mulhi",
    "ne",
    "nextafter",
    "or",
    "polygamma",
    "polynomial",
    "pow",
    "random_gamma",
    "regularized_incomplete_beta",
    "rem",
    "select_n",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sub",
    "threefry2x32",
    "xor",
    "zeta",
]


def elementwise(context: PaddingContext, *operands: PaddedValue) -> list[PaddedValue]:
    """Run the primitive on the padded arrays; no element meets another."""
    arrays = context.bind(*(operand.array for operand in operands))
    if len(arrays) > 1:
        return context.results(arrays)
    shape = context.equation.outvars[0].aval.shape
    padding = {axis: _folded_along(context.equation, operands, axis, len(shape)) for axis in symbolic_axes(shape)}
    constant = _folded(context.equation, [operand.constant for operand in operands])
    return [context.result(arrays[0], padding=padding, constant=constant)]


def barrier(context: PaddingContext, *operands: PaddedValue) -> list[PaddedValue]:
    """An optimization barrier gives back each operand as it is."""
    arrays = context.bind(*(operand.array for operand in operands))
    return [
        PaddedValue(array, operand.shape, operand.padding, operand.constant)
        for array, operand in zip(arrays, operands, strict=True)
    ]


def reinterpreted(context: PaddingContext, operand: PaddedValue) -> PaddedValue:
    """Other bits of the same element; a trailing axis may appear or vanish, and it is never ragged."""
    (array,) = context.bind(operand.array)
    return context.result(array)


def _folded_along(equation: Any, operands: tuple[PaddedValue, ...], axis: int, rank: int) -> Any:
    known = [_padding_along(operand, axis, rank) for operand in operands]
    if equation.primitive.name == "select_n" and known[0] is None:
        same = all(is_same_value(value, known[1]) for value in known[1:])
        return known[1] if same else None
    return _folded(equation, known)


def _padding_along(operand: PaddedValue, axis: int, rank: int) -> Any:
    # A scalar or a length-1 axis is broadcast by the primitive itself: its value holds everywhere only if constant.
    if operand.constant is None and (len(operand.shape) != rank or not is_symbolic(operand.shape[axis])):
        return None
    return operand.padding_of(axis)


def _folded(equation: Any, known: list[Any]) -> Any:
    """The primitive's value on known scalars, where NumPy's answer is exactly XLA's; None elsewhere."""
    dtype = equation.outvars[0].aval.dtype
    if any(value is None for value in known) or is_key_dtype(dtype) or np.dtype(dtype).kind not in "fiub":
        return None
    with np.errstate(all="ignore"):
        value = _value(equation, known)
    if value is None:
        return None
    scalar = np.asarray(value).astype(dtype)[()]
    return None if scalar != scalar else scalar


def _value(equation: Any, known: list[Any]) -> Any:
    name, first = equation.primitive.name, np.asarray(known[0])
    if name in _FOLDED:
        return _FOLDED[name](*known)
    if name in _UNCHANGED or (name in _ZERO_AT_ZERO and first == 0):
        return first
    if name == "integer_pow" and first == 0 and equation.params["y"] > 0:
        return np.zeros(())
    if name == "div" and first == 0 and 1e-30 < abs(known[1]) < 1e30:
        return np.divide(first, known[1])
    if name == "exp" and first == -np.inf:
        return np.zeros(())
    if name == "select_n" and first.dtype == np.bool_:
        return known[1 + int(first)]
    return None


RULES = {
    **dict.fromkeys((*_ONE_OPERAND, *_MORE_OPERANDS), elementwise),
    "optimization_barrier": barrier,
    "bitcast_convert_type": reinterpreted,
}
