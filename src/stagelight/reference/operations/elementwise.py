"""Primitives that work on each element: name, NumPy evaluation, partial derivatives; and what they share.

Follows ``jax/_src/lax/lax.py``. A partial derivative is a function of the result and the operands; a primitive without
any has no gradient. A batch gets its operands aligned: the batch axis in front, then axes of size one.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from stagelight.reference.aval import Aval
from stagelight.reference.operand import Operand
from stagelight.reference.staging_error import StagingTypeError
from stagelight.reference.trace import Params, Primitive, Pull


def flat(*_: Any) -> tuple[Any, ...]:
    """The transpose of what has no gradient."""
    return ()


def broadcast_shape(name: str, shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape of operands, or JAX's error naming them."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        told = ", ".join(map(str, shapes))
        raise StagingTypeError(f"{name} got incompatible shapes for broadcasting: {told}.") from None


def summed_to(x: Any, shape: tuple[int, ...]) -> Any:
    """The transpose of broadcasting from a shape of the same rank, or of a scalar."""
    axes = tuple(i for i in range(x.ndim) if not shape or (shape[i] == 1 and x.shape[i] != 1))
    return (x.sum(axes) if axes else x).reshape(shape)


def pull_by(*partials: Callable[..., Any]) -> Pull:
    """The transpose of an elementwise primitive, from its partial derivatives."""

    def pull(cotangents: list[Any], results: list[Any], operands: list[Any], params: Params) -> list[Any]:
        (cotangent,) = cotangents
        factors = [partial(results[0], *operands, **params) for partial in partials]
        factors = [Operand.functions.astype(factor, cotangent.dtype) for factor in factors]
        return [summed_to(cotangent * f, x.shape) for f, x in zip(factors, operands, strict=True)]

    return pull


def aligned(trace: Any, tracers: list[Any]) -> list[Any]:
    """Operands of one rank, the batch axis in front; scalars that are the same for all elements stay as they are."""
    rank = max(len(tracer.shape) for tracer in tracers)

    def one(tracer: Any) -> Any:
        value, is_batched = tracer.payload
        if is_batched:
            return value.reshape(trace.size, *[1] * (rank - len(tracer.shape)), *tracer.shape)
        return value.reshape(1, *value.shape) if value.ndim else value

    return [one(tracer) for tracer in tracers]


def batch_aligned(trace: Any, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
    """Apply an elementwise primitive to batches."""
    return [trace.batched(primitive(*aligned(trace, tracers), **params))]


def elementwise(
    name: str, evaluate: Callable[..., Any], *partials: Callable[..., Any], dtype: str | None = None
) -> Primitive:
    """A row of the table; the results have the dtype of the first operand, or the one given."""

    def infer(avals: list[Aval], _: Params) -> list[Aval]:
        shape = broadcast_shape(name, [aval.shape for aval in avals])
        return [Aval(shape, np.dtype(dtype) if dtype else avals[0].dtype, all(aval.weak_type for aval in avals))]

    return Primitive(name, infer, evaluate, batch_aligned, pull_by(*partials) if partials else flat)


def _share(wins: Any, x: Any, y: Any) -> Any:
    """1 where one operand wins, a half where both are equal."""
    return wins.astype(x.dtype) + 0.5 * eq(x, y).astype(x.dtype)


def _divide(x: Any, y: Any) -> Any:
    return np.divide(x, y) if x.dtype.kind == "f" else np.where(y == 0, -1, np.trunc(np.true_divide(x, y)))


def _rem(x: Any, y: Any) -> Any:
    return np.where(y == 0, np.nan if x.dtype.kind == "f" else x, np.fmod(x, y))


neg = elementwise("neg", np.negative, lambda _, x: -1.0)
abs_ = elementwise("abs", np.abs, lambda _, x: sign(x))
sign = elementwise("sign", np.sign)
exp = elementwise("exp", np.exp, lambda y, x: y)
log = elementwise("log", np.log, lambda _, x: 1.0 / x)
log1p = elementwise("log1p", np.log1p, lambda _, x: 1.0 / (1.0 + x))
expm1 = elementwise("expm1", np.expm1, lambda y, x: y + 1.0)
sin = elementwise("sin", np.sin, lambda _, x: cos(x))
cos = elementwise("cos", np.cos, lambda _, x: -sin(x))
tanh = elementwise("tanh", np.tanh, lambda y, x: 1.0 - y * y)
sqrt = elementwise("sqrt", np.sqrt, lambda y, x: 0.5 / y)
square = elementwise("square", np.square, lambda _, x: 2.0 * x)
floor = elementwise("floor", np.floor)
not_ = elementwise("not", np.invert)
is_finite = elementwise("is_finite", np.isfinite, dtype="bool")
stop_gradient = elementwise("stop_gradient", np.array)
copy = elementwise("copy", np.array, lambda _, x: 1.0)
integer_pow = elementwise(
    "integer_pow",
    lambda x, *, y: np.power(x, y) if y >= 0 else 1 / np.power(x, -y),
    lambda _, x, *, y: float(y) * x ** (y - 1) if y else x * 0.0,
)
add = elementwise("add", np.add, lambda _, x, y: 1.0, lambda _, x, y: 1.0)
sub = elementwise("sub", np.subtract, lambda _, x, y: 1.0, lambda _, x, y: -1.0)
mul = elementwise("mul", np.multiply, lambda _, x, y: y, lambda _, x, y: x)
div = elementwise("div", _divide, lambda _, x, y: 1.0 / y, lambda z, x, y: -z / y)
rem = elementwise("rem", _rem, lambda _, x, y: 1.0, lambda _, x, y: -sign(x / y) * floor(abs_(x / y)))
pow_ = elementwise("pow", np.power, lambda _, x, y: y * x ** (y - 1), lambda z, x, y: z * log(x))
max_ = elementwise("max", np.maximum, lambda _, x, y: _share(x > y, x, y), lambda _, x, y: _share(y > x, x, y))
min_ = elementwise("min", np.minimum, lambda _, x, y: _share(x < y, x, y), lambda _, x, y: _share(y < x, x, y))
and_ = elementwise("and", np.bitwise_and)
or_ = elementwise("or", np.bitwise_or)
eq = elementwise("eq", np.equal, dtype="bool")
ne = elementwise("ne", np.not_equal, dtype="bool")
lt = elementwise("lt", np.less, dtype="bool")
le = elementwise("le", np.less_equal, dtype="bool")
gt = elementwise("gt", np.greater, dtype="bool")
ge = elementwise("ge", np.greater_equal, dtype="bool")
clamp = elementwise("clamp", lambda low, x, high: np.clip(x, low, high))


def _converted(x: Any, *, new_dtype: Any, **_: Any) -> Any:
    if x.dtype.kind == "f" and np.dtype(new_dtype).kind in "iu":  # XLA saturates and makes zero of nan
        limits = np.iinfo(new_dtype)
        inside = np.clip(np.nan_to_num(x.astype(np.float64)), limits.min, limits.max)
        return np.where(inside >= limits.max, limits.max, inside.astype(new_dtype))
    return x.astype(new_dtype)


convert_element_type = Primitive(
    "convert_element_type",
    lambda avals, k: [Aval(avals[0].shape, np.dtype(k["new_dtype"]), k["weak_type"])],
    _converted,
    batch_aligned,
    lambda ct, _, x, k: [ct[0].astype(x[0].dtype)],
)


def _batch_select(trace: Any, primitive: Primitive, tracers: list[Any], _: Params) -> list[Any]:
    operands = aligned(trace, tracers)
    if operands[0].ndim:
        shape = (trace.size, *tracers[1].shape)
        operands = [Operand.functions.broadcast_to(operand, shape) for operand in operands]
    return [trace.batched(primitive(*operands))]


def _pull_select(cotangents: list[Any], _: list[Any], operands: list[Any], __: Params) -> list[Any]:
    which = operands[0].astype(np.int32)
    return [None, *(Operand.functions.where(which == i, cotangents[0], 0.0) for i in range(len(operands) - 1))]


select_n = Primitive(
    "select_n",
    lambda avals, _: [avals[1]._replace(weak_type=all(aval.weak_type for aval in avals[1:]))],
    lambda which, *cases: np.select([which == i for i in range(len(cases))], cases),
    _batch_select,
    _pull_select,
)
