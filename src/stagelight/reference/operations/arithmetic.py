"""Elementwise primitives, and functions of ``jax.numpy`` that compute, with the conversions before and after.

Follows ``jax/_src/lax/lax.py``, and ``ufuncs.py``, ``reductions.py`` and ``util.py`` in ``jax/_src/numpy``: each
function applies the same primitives in the same order as JAX's. A primitive is a row: name, NumPy evaluation, partial
derivatives as functions of the result and the operands; without any it has no gradient.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from stagelight.reference.aval import Aval, canonical_dtype, current_context, inexact, promoted, rule_holds
from stagelight.reference.operand import Array
from stagelight.reference.operations import structural as s
from stagelight.reference.staging_error import NotModelledError, StagingTypeError, require, require_value
from stagelight.reference.trace import Params, Primitive, call_staged, operand_of, stage


def broadcast_shape(name: str, shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape of operands, or JAX's error naming them."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise StagingTypeError(f"{name} got incompatible shapes for broadcasting: {shapes}.") from None


def batch_aligned(trace: Any, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
    """Apply a primitive to batches; scalars that are the same for all elements stay as they are."""
    rank = max(len(tracer.shape) for tracer in tracers)

    def aligned(tracer: Any) -> Any:
        value, is_batched = tracer.payload
        shape = (trace.size if is_batched else 1, *[1] * (rank - len(tracer.shape)), *tracer.shape)
        return value.reshape(shape) if value.ndim else value

    return [trace.batched(primitive(*map(aligned, tracers), **params))]


def elementwise(name: str, evaluate: Any, *partials: Callable[..., Any], dtype: str | None = None) -> Primitive:
    """A row of the table; the results have the dtype of the first operand, or the one given."""

    def infer(*avals: Aval, new_dtype: Any = None, weak_type: bool | None = None, **_: Any) -> Aval:
        found = new_dtype or np.dtype(dtype or avals[0].dtype)
        is_weak = all(aval.weak_type for aval in avals) if weak_type is None else weak_type
        return Aval(broadcast_shape(name, [aval.shape for aval in avals]), found, is_weak)

    def pull(cotangent: Any, result: Any, *operands: Any, **params: Any) -> list[Any]:
        factors = [convert(partial(result, *operands, **params), cotangent.dtype) for partial in partials]
        return [s.summed_to(cotangent * f, x.shape).astype(x.dtype) for f, x in zip(factors, operands, strict=False)]

    return Primitive(name, infer, evaluate, batch_aligned, pull)


def _converted(x: Any, *, new_dtype: Any, **_: Any) -> Any:
    if x.dtype.kind == "f" and new_dtype.kind in "iu":  # XLA saturates and makes zero of nan
        limits = np.iinfo(new_dtype)
        inside = np.clip(np.nan_to_num(x.astype(np.float64)), limits.min, limits.max)
        return np.where(inside >= limits.max, limits.max, inside.astype(new_dtype))
    return x.astype(new_dtype)


def _share(x: Any, y: Any) -> Any:
    """1 where the first is larger, a half where both are equal."""
    return 0.5 * (x > y) + 0.5 * (x >= y)


neg = elementwise("neg", np.negative, lambda _, x: -1.0)
abs_ = elementwise("abs", np.abs, lambda _, x: sign(x))
exp = elementwise("exp", np.exp, lambda y, x: y)
log = elementwise("log", np.log, lambda _, x: 1.0 / x)
sin = elementwise("sin", np.sin, lambda _, x: cos(x))
cos = elementwise("cos", np.cos, lambda _, x: -sin(x))
tanh = elementwise("tanh", np.tanh, lambda y, x: 1.0 - y * y)
sqrt = elementwise("sqrt", np.sqrt, lambda y, x: 0.5 / y)
square = elementwise("square", np.square, lambda _, x: 2.0 * x)
sign, floor = elementwise("sign", np.sign), elementwise("floor", np.floor)
and_, or_, not_ = elementwise("and", np.bitwise_and), elementwise("or", np.bitwise_or), elementwise("not", np.invert)
stop_gradient, copy = elementwise("stop_gradient", np.array), elementwise("copy", np.array, lambda _, x: 1.0)
convert_element_type = elementwise("convert_element_type", _converted, lambda *_, **__: 1.0)
integer_pow = elementwise("integer_pow", lambda x, y: x**y, lambda _, x, y: float(y) * x ** (y - 1) if y else x * 0.0)
add = elementwise("add", np.add, lambda _, x, y: 1.0, lambda _, x, y: 1.0)
sub = elementwise("sub", np.subtract, lambda _, x, y: 1.0, lambda _, x, y: -1.0)
mul = elementwise("mul", np.multiply, lambda _, x, y: y, lambda _, x, y: x)
div = elementwise("div", np.divide, lambda _, x, y: 1.0 / y, lambda z, x, y: -z / y)
pow_ = elementwise("pow", np.power, lambda _, x, y: y * x ** (y - 1), lambda z, x, y: z * log(x))
max_ = elementwise("max", np.maximum, lambda _, x, y: _share(x, y), lambda _, x, y: _share(y, x))
min_ = elementwise("min", np.minimum, lambda _, x, y: _share(y, x), lambda _, x, y: _share(x, y))
eq, ne = elementwise("eq", np.equal, dtype="bool"), elementwise("ne", np.not_equal, dtype="bool")
lt, le = elementwise("lt", np.less, dtype="bool"), elementwise("le", np.less_equal, dtype="bool")
gt, ge = elementwise("gt", np.greater, dtype="bool"), elementwise("ge", np.greater_equal, dtype="bool")
clamp = elementwise("clamp", lambda low, x, high: np.clip(x, low, high))


def _infer_select(which: Aval, x: Aval, y: Aval) -> Aval:
    return Aval(broadcast_shape("select_n", [which.shape, x.shape, y.shape]), x.dtype, x.weak_type and y.weak_type)


def _pull_select(cotangent: Any, _: Any, which: Any, *__: Any) -> list[Any]:
    return [None, where(which, 0.0, cotangent), where(which, cotangent, 0.0)]


select_n = Primitive("select_n", _infer_select, lambda w, x, y: np.where(w, y, x), batch_aligned, _pull_select)


def convert(value: Any, dtype: Any, weak_type: bool = False) -> Any:
    """``lax.convert_element_type``: no equation where nothing changes or the value is Python's or NumPy's own."""
    operand, wanted = operand_of(value), canonical_dtype(dtype)
    if operand.dtype == wanted and operand.weak_type == weak_type:
        return operand
    if isinstance(operand, Array) and operand.source is not None:
        converted = operand.value.astype(wanted)
        return Array(converted, weak_type=weak_type, source=converted)
    return convert_element_type(operand, new_dtype=wanted, weak_type=weak_type)


def number_like(x: Any, number: int) -> Any:
    """``lax._const``: a scalar of the dtype of an operand, weak beside a weak scalar."""
    return convert(number, x.dtype, x.weak_type and not x.ndim)


def same_dtype(*values: Any, to: str = "") -> list[Any]:
    """The operands converted to the dtype they have together, or to the inexact or numeric one above it."""
    operands = [operand_of(value) for value in values]
    if len(operands) == 1 and not to:
        return operands
    dtype, weak = promoted(*[operand.aval for operand in operands])
    dtype = inexact(dtype) if to == "inexact" else canonical_dtype(int) if to and dtype.kind == "b" else dtype
    return [convert(operand, dtype, weak) for operand in operands]


def same_rank(name: str, operands: list[Any]) -> list[Any]:
    """The operands with leading axes of size one, where their ranks differ and none is a scalar."""
    ranks = {operand.ndim for operand in operands if operand.ndim}
    if len(ranks) < 2:
        return operands
    require_value(current_context().numpy_rank_promotion != "raise", f"{name} of ranks {ranks}: promotion is refused.")
    return [s.broadcast_to(x, (1,) * (max(ranks) - x.ndim) + x.shape) for x in operands]


def _ufunc(name: str, primitive: Primitive, **options: Any) -> Callable[..., Any]:
    """A row of the table: operands get one dtype and one rank and are prepared, and the primitive is applied."""

    def apply(*values: Any) -> Any:
        operands = same_rank(name, same_dtype(*values, to=options.get("to", "")))
        operands = list(map(options.get("prepare", operand_of), operands))
        dtype = operands[0].dtype
        require(dtype.kind in options.get("accepts", "biuf"), f"{primitive.name} does not accept dtype {dtype}.")
        return (options.get("for_bool", primitive) if dtype.kind == "b" else primitive)(*operands)

    return apply


def _truth(x: Any) -> Any:
    return x if x.dtype.kind == "b" else ne(x, number_like(x, 0))


# Options, and the functions that have them, each with its primitive.
_ROWS: tuple[tuple[dict[str, Any], dict[str, Primitive]], ...] = (
    ({}, {"maximum": max_, "minimum": min_, "equal": eq, "not_equal": ne, "invert": not_}),
    ({}, {"less": lt, "less_equal": le, "greater": gt, "greater_equal": ge}),
    ({"to": "inexact"}, {"exp": exp, "log": log, "sin": sin, "cos": cos, "tanh": tanh, "sqrt": sqrt, "divide": div}),
    ({"to": "numeric"}, {"square": square}),
    ({"accepts": "iuf"}, {"negative": neg, "sign": sign, "subtract": sub}),
    ({"accepts": "biu"}, {"bitwise_and": and_, "bitwise_or": or_}),
    ({"for_bool": or_}, {"add": add}),
    ({"for_bool": and_}, {"multiply": mul}),
    ({"prepare": _truth}, {"logical_and": and_, "logical_or": or_, "logical_not": not_}),
)
UFUNCS = {name: _ufunc(name, row[name], **options) for options, row in _ROWS for name in row}


def power(x: Any, y: Any) -> Any:
    """``jnp.power``: a known integer exponent becomes a parameter, an integer exponent of a float is not converted."""
    if isinstance(y, int | np.integer | np.bool_) or (isinstance(y, Array) and not y.ndim and y.dtype.kind in "iu"):
        (base,) = same_dtype(x, to="numeric")
        require(int(y) >= 0 or base.dtype.kind == "f", f"Integers cannot be raised to negative powers, got {y}.")
        return integer_pow(base, y=int(y))
    x, y = same_rank("power", [x, operand_of(y)])
    same = same_dtype(x, y, to="numeric")
    require(same[0].dtype.kind == "f", "jax.numpy.power of two integer arrays", NotModelledError)
    return pow_(x, y) if x.dtype.kind == "f" and y.dtype.kind in "iu" else pow_(*same)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """``jnp.where`` with three arguments."""
    require(x is not None and y is not None, "jax.numpy.where with one argument", NotModelledError)

    def choose(test: Any, x: Any, y: Any) -> list[Any]:
        test = test if test.dtype.kind == "b" else ne(test, convert(0, test.dtype, test.weak_type))
        x, y = same_dtype(x, y)
        shape = broadcast_shape("where", [x.shape, y.shape, test.shape])
        test = s.broadcast_to(test, shape) if test.ndim else test
        x, y = s.broadcast_to(x, shape), s.broadcast_to(y, shape)
        return [x if 0 in shape else select_n(test, y, x)]

    operands = [operand_of(value) for value in (condition, x, y)]
    return call_staged("_where", stage(choose, [operand.aval for operand in operands], "_where"), operands)[0]


def _reduced(primitive: Primitive, x: Any, axis: Any, keepdims: bool, result: Any, **params: Any) -> Any:
    axes = s.axes_in(axis, x.ndim)
    reduced = primitive(x, axes=axes, **params)
    return convert(s.expand_dims(reduced, axes) if keepdims else reduced, result)


def _wide(dtype: Any) -> Any:
    return np.dtype("float32") if dtype.name == "float16" else dtype


def sum_(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """``jnp.sum``, of small integers in the default ones."""
    default = canonical_dtype("uint64" if x.dtype.kind == "u" else "int64")
    is_small = x.dtype.kind in "biu" and x.dtype.itemsize < default.itemsize
    result = canonical_dtype(dtype) if dtype is not None else default if is_small else x.dtype
    x = convert(x, int) if x.dtype.kind == "b" else x
    return _reduced(s.reduce_sum, convert(x, _wide(result)), axis, keepdims, result, out_sharding=None)


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """``jnp.mean``: a sum divided by a number that was known while tracing."""
    result = inexact(x.dtype)
    count = int(np.prod([x.shape[a] for a in s.axes_in(axis, x.ndim)]))
    total = sum_(x, axis, _wide(result), keepdims)
    return convert(total / np.asarray(count, total.dtype)[()], result)


def _extreme(primitive: Primitive, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    require_value(all(x.shape[a] for a in s.axes_in(axis, x.ndim)), f"{primitive.name} of nothing has no identity")
    params = {"out_sharding": None} if rule_holds("reduce-max-has-a-sharding") else {}
    return _reduced(primitive, convert(x, x.dtype), axis, keepdims, x.dtype, **params)


# Functions of an array, which comes as an operand from the namespace.
ARITHMETIC: dict[str, Callable[..., Any]] = UFUNCS | {
    "astype": convert,
    "abs": lambda x: x if x.dtype.kind in "bu" else abs_(x),
    "floor": lambda x: floor(x) if x.dtype.kind == "f" else x,
    "power": power,
    "where": where,
    "mean": mean,
    "sum": sum_,
    "max": partial(_extreme, s.reduce_max),
    "min": partial(_extreme, s.reduce_min),
    "any": lambda x, axis=None, keepdims=False: _reduced(s.reduce_or, convert(x, bool), axis, keepdims, bool),
    "all": lambda x, axis=None, keepdims=False: _reduced(s.reduce_and, convert(x, bool), axis, keepdims, bool),
}
