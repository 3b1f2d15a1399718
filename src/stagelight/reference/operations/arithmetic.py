"""Elementwise functions of ``jax.numpy`` and the conversions that come before them.

Follows ``jax/_src/numpy/ufuncs.py`` and ``util.py`` (``promote_args``): each function applies the same primitives in
the same order as JAX's.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from stagelight.reference.aval import canonical_dtype, inexact, promoted
from stagelight.reference.operand import Array
from stagelight.reference.operations import elementwise as p
from stagelight.reference.operations.structural import broadcast_in_dim
from stagelight.reference.staging_error import StagingTypeError, StagingValueError, refuse
from stagelight.reference.trace import Primitive, operand_of, stage_and_call
from stagelight.reference.trace_context import current_context


def broadcast_to(x: Any, shape: tuple[int, ...]) -> Any:
    """``lax.broadcast_to``: no equation where the shape is the same."""
    operand = operand_of(x)
    if operand.shape == tuple(shape):
        return operand
    if operand.ndim > len(shape) or p.broadcast_shape("broadcast_to", [operand.shape, tuple(shape)]) != tuple(shape):
        raise StagingValueError(f"Cannot broadcast an array of shape {operand.shape} to shape {tuple(shape)}.")
    axes = tuple(range(len(shape) - operand.ndim, len(shape)))
    return broadcast_in_dim(operand, shape=tuple(shape), broadcast_dimensions=axes)


def convert(value: Any, dtype: Any, weak_type: bool = False) -> Any:
    """``lax.convert_element_type``: no equation where nothing changes or the value is Python's or NumPy's own."""
    operand = operand_of(value)
    wanted = canonical_dtype(dtype)
    if operand.dtype == wanted and operand.weak_type == weak_type:
        return operand
    if isinstance(operand, Array) and operand.source is not None:
        converted = operand.value.astype(wanted)
        return Array(converted, weak_type=weak_type, source=converted)
    return p.convert_element_type(operand, new_dtype=wanted, weak_type=weak_type)


def astype(x: Any, dtype: Any) -> Any:
    """``x.astype``; the result is never weak."""
    return convert(x, dtype)


def same_dtype(*values: Any, to_inexact: bool = False, numeric: bool = False) -> list[Any]:
    """The operands converted to the dtype they have together."""
    operands = [operand_of(value) for value in values]
    if len(operands) == 1 and not (to_inexact or numeric):
        return operands
    dtype, weak = promoted(*[operand.aval for operand in operands])
    if numeric and dtype.kind == "b":
        dtype = canonical_dtype(int)
    return [convert(operand, inexact(dtype) if to_inexact else dtype, weak) for operand in operands]


def same_rank(name: str, operands: list[Any]) -> list[Any]:
    """The operands with leading axes of size one, where their ranks differ and none is a scalar."""
    ranks = {operand.ndim for operand in operands if operand.ndim}
    if len(ranks) < 2:
        return operands
    if current_context().numpy_rank_promotion == "raise":
        shapes = " ".join(str(operand.shape) for operand in operands)
        says = f"Operands could not be broadcast together for {name} on shapes {shapes}"
        raise StagingValueError(f"{says} and with the config option jax_numpy_rank_promotion='raise'.")
    return [broadcast_to(x, (1,) * (max(ranks) - x.ndim) + x.shape) if x.ndim < max(ranks) else x for x in operands]


def _ufunc(
    name: str,
    primitive: Primitive,
    *,
    accepts: str = "biuf",
    for_bool: Primitive | None = None,
    prepare: Callable[[Any], Any] = operand_of,
    **promotion: bool,
) -> Callable[..., Any]:
    """A row of the table: operands get one dtype and one rank and are prepared, and the primitive is applied."""

    def apply(*values: Any) -> Any:
        operands = [prepare(operand) for operand in same_rank(name, same_dtype(*values, **promotion))]
        kind = operands[0].dtype.kind
        if kind not in accepts:
            raise StagingTypeError(f"{primitive.name} does not accept dtype {operands[0].dtype} at position 0.")
        return for_bool(*operands) if for_bool and kind == "b" else primitive(*operands)

    return apply


def _truth(operand: Any) -> Any:
    return operand if operand.dtype.kind == "b" else p.ne(operand, number_like(operand, 0))


# Options, and the functions that have them, each with its primitive where that has another name.
_ROWS: tuple[tuple[dict[str, Any], str], ...] = (
    (
        {},
        "maximum=max_ minimum=min_ equal=eq not_equal=ne less=lt less_equal=le greater=gt greater_equal=ge invert=not_",
    ),
    ({"to_inexact": True}, "exp log log1p expm1 sin cos tanh sqrt divide=div true_divide=div"),
    ({"numeric": True}, "square"),
    ({"accepts": "iuf"}, "negative=neg sign subtract=sub"),
    ({"accepts": "biu"}, "bitwise_and=and_ bitwise_or=or_"),
    ({"for_bool": p.or_}, "add"),
    ({"for_bool": p.and_}, "multiply=mul"),
    ({"prepare": _truth}, "logical_and=and_ logical_or=or_ logical_not=not_"),
)
UFUNCS = {
    name: _ufunc(name, getattr(p, primitive or name), **options)
    for options, row in _ROWS
    for name, _, primitive in (entry.partition("=") for entry in row.split())
}


def number_like(operand: Any, number: int) -> Any:
    """``lax._const``: a scalar of the dtype of an operand, weak beside a weak scalar."""
    value = np.asarray(number, operand.dtype)
    return Array(value, weak_type=operand.weak_type and not operand.ndim, source=value)


def abs_(x: Any) -> Any:
    """``jnp.abs``; what has no sign is returned as it is."""
    operand = operand_of(x)
    return operand if operand.dtype.kind in "bu" else p.abs_(operand)


def floor(x: Any) -> Any:
    """``jnp.floor``; integers are returned as they are."""
    operand = operand_of(x)
    return p.floor(operand) if operand.dtype.kind == "f" else operand


def reciprocal(x: Any) -> Any:
    """``jnp.reciprocal``."""
    return p.integer_pow(*same_dtype(x, to_inexact=True), y=-1)


def isnan(x: Any) -> Any:
    """``jnp.isnan``: what is not equal to itself."""
    return p.ne(x, x)


def isfinite(x: Any) -> Any:
    """``jnp.isfinite``."""
    operand = operand_of(x)
    return p.is_finite(operand) if operand.dtype.kind == "f" else broadcast_to(np.bool_(True), operand.shape)


def power(x1: Any, x2: Any) -> Any:
    """``jnp.power``: a known integer exponent becomes a parameter, an integer exponent of a float is not converted."""
    is_scalar = isinstance(x2, Array) and not x2.ndim and x2.dtype.kind in "iu"
    if is_scalar or isinstance(x2, int | np.integer | np.bool_):
        (base,) = same_dtype(x1, numeric=True)
        if int(x2) < 0 and base.dtype.kind != "f":
            raise StagingTypeError(f"Integers cannot be raised to negative powers, got integer_pow({base.aval}, {x2})")
        return p.integer_pow(base, y=int(x2))
    x1, x2 = same_rank("power", [operand_of(x1), operand_of(x2)])
    same = same_dtype(x1, x2, numeric=True)
    if same[0].dtype.kind != "f":
        raise refuse("jax.numpy.power of two integer arrays")
    return p.pow_(x1, x2) if x1.dtype.kind == "f" and x2.dtype.kind in "iu" else p.pow_(*same)


def remainder(x1: Any, x2: Any) -> Any:
    """``jnp.remainder``, with the sign of the divisor."""

    def compute(x1: Any, x2: Any) -> Any:
        x1, x2 = same_rank("remainder", same_dtype(x1, x2, numeric=True))
        zero = np.zeros((), x1.dtype)[()]
        if x2.dtype.kind != "f":
            x2 = where(x2 == 0, broadcast_to(convert(1, x2.dtype, x2.weak_type), x2.shape), x2)
        rest = p.rem(x1, x2)
        is_rest = p.ne(rest, zero)
        differ = p.ne(p.lt(rest, zero), p.lt(x2, zero))
        return p.select_n(p.and_(differ, is_rest), rest, p.add(rest, x2))

    return stage_and_call("remainder", compute, x1, x2)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """``jnp.where`` with three arguments."""
    if x is None or y is None:
        raise refuse("jax.numpy.where with one argument")

    def choose(condition: Any, x: Any, y: Any) -> Any:
        if condition.dtype.kind != "b":
            condition = p.ne(condition, convert(0, condition.dtype, condition.weak_type))
        x, y = same_dtype(x, y)
        shape = p.broadcast_shape("where", [x.shape, y.shape] + [condition.shape] * (condition.ndim > 0))
        condition = broadcast_to(condition, shape) if condition.ndim else condition
        x, y = broadcast_to(x, shape), broadcast_to(y, shape)
        return x if 0 in shape else p.select_n(condition, y, x)

    return stage_and_call("_where", choose, condition, x, y)


def clip(x: Any, *limits: Any, **named: Any) -> Any:
    """``jnp.clip(x, min, max)``; limits may be left out."""
    given = {**dict(zip(("min", "max"), limits, strict=False)), **dict(sorted(named.items()))}
    names = [name for name, value in given.items() if value is not None]

    def limit(x: Any, *values: Any) -> Any:
        known = dict(zip(names, values, strict=True))
        x = UFUNCS["maximum"](known["min"], x) if "min" in known else x
        return UFUNCS["minimum"](known["max"], x) if "max" in known else x

    return stage_and_call("clip", limit, x, *(given[name] for name in names))
