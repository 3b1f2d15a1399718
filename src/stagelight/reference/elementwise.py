"""Elementwise functions of ``jax.numpy`` and the conversions that come before them.

Follows ``jax/_src/numpy/ufuncs.py`` and ``util.py`` (``promote_args``): each function applies the same primitives in
the same order as JAX's.
"""

from typing import Any

import numpy as np

from stagelight.reference import primitive as p
from stagelight.reference.aval import canonical_dtype, inexact, promoted
from stagelight.reference.operand import Array
from stagelight.reference.staged_call import stage_and_call
from stagelight.reference.staging_error import StagingTypeError, StagingValueError, refuse
from stagelight.reference.trace import bind, operand_of
from stagelight.reference.trace_context import current_context


def apply_one(primitive: p.Primitive, *values: Any, **params: Any) -> Any:
    """The only result of a primitive."""
    return bind(primitive, *values, **params)[0]


def broadcast_to(x: Any, shape: tuple[int, ...]) -> Any:
    """``lax.broadcast_to``: no equation where the shape is the same."""
    operand = operand_of(x)
    if operand.shape == tuple(shape):
        return operand
    if operand.ndim > len(shape) or p.broadcast_shape("broadcast_to", [operand.shape, tuple(shape)]) != tuple(shape):
        raise StagingValueError(f"Cannot broadcast an array of shape {operand.shape} to shape {tuple(shape)}.")
    axes = tuple(range(len(shape) - operand.ndim, len(shape)))
    return apply_one(p.broadcast_in_dim, operand, shape=tuple(shape), broadcast_dimensions=axes)


def convert(value: Any, dtype: Any, weak_type: bool = False) -> Any:
    """``lax.convert_element_type``: no equation where nothing changes or the value is Python's or NumPy's own."""
    operand = operand_of(value)
    wanted = canonical_dtype(dtype)
    if operand.dtype == wanted and operand.weak_type == weak_type:
        return operand
    if isinstance(operand, Array) and operand.source is not None:
        value = operand.value.astype(wanted)
        return Array(value, weak_type=weak_type, source=value)
    return apply_one(p.convert_element_type, operand, new_dtype=wanted, weak_type=weak_type)


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
        raise StagingValueError(
            f"Operands could not be broadcast together for {name} on shapes "
            f"{' '.join(str(operand.shape) for operand in operands)} and with the config option "
            "jax_numpy_rank_promotion='raise'."
        )
    return [_padded(operand, max(ranks)) for operand in operands]


def _padded(operand: Any, rank: int) -> Any:
    return broadcast_to(operand, (1,) * (rank - operand.ndim) + operand.shape) if operand.ndim < rank else operand


def _refuse_bool(name: str, operand: Any) -> None:
    if operand.dtype.kind == "b":
        raise StagingTypeError(f"{name} does not accept dtype bool. Accepted dtypes are subtypes of integer, floating.")


def _unary(primitive: p.Primitive, *, to_inexact: bool = False, numeric: bool = False, check: bool = False) -> Any:
    def apply(x: Any) -> Any:
        (operand,) = same_dtype(x, to_inexact=to_inexact, numeric=numeric)
        if check:
            _refuse_bool(primitive.name, operand)
        return apply_one(primitive, operand)

    return apply


def _binary(name: str, primitive: p.Primitive, *, to_inexact: bool = False, for_bool: p.Primitive | None = None) -> Any:
    def apply(x1: Any, x2: Any) -> Any:
        operands = same_rank(name, same_dtype(x1, x2, to_inexact=to_inexact))
        is_bool = operands[0].dtype.kind == "b"
        return apply_one(for_bool if for_bool and is_bool else primitive, *operands)

    return apply


exp, log, log1p, expm1 = (_unary(f, to_inexact=True) for f in (p.exp, p.log, p.log1p, p.expm1))
sin, cos, tanh, sqrt = (_unary(f, to_inexact=True) for f in (p.sin, p.cos, p.tanh, p.sqrt))
negative, sign, square = _unary(p.neg, check=True), _unary(p.sign, check=True), _unary(p.square, numeric=True)
add, multiply = _binary("add", p.add, for_bool=p.or_), _binary("multiply", p.mul, for_bool=p.and_)
divide = true_divide = _binary("true_divide", p.div, to_inexact=True)
maximum, minimum = _binary("maximum", p.max_), _binary("minimum", p.min_)
equal, not_equal = _binary("equal", p.eq), _binary("not_equal", p.ne)
less, less_equal = _binary("less", p.lt), _binary("less_equal", p.le)
greater, greater_equal = _binary("greater", p.gt), _binary("greater_equal", p.ge)


def subtract(x1: Any, x2: Any) -> Any:
    """``jnp.subtract``; two bools are refused as in JAX."""
    operands = same_rank("subtract", same_dtype(x1, x2))
    _refuse_bool("sub", operands[0])
    return apply_one(p.sub, *operands)


def _bitwise(name: str, primitive: p.Primitive) -> Any:
    def apply(x1: Any, x2: Any) -> Any:
        operands = same_rank(name, same_dtype(x1, x2))
        if operands[0].dtype.kind == "f":
            raise StagingTypeError(f"{primitive.name} does not accept dtype {operands[0].dtype} at position 0.")
        return apply_one(primitive, *operands)

    return apply


bitwise_and, bitwise_or = _bitwise("bitwise_and", p.and_), _bitwise("bitwise_or", p.or_)
invert = _unary(p.not_)


def number_like(operand: Any, number: int) -> Any:
    """``lax._const``: a scalar of the dtype of an operand, weak beside a weak scalar."""
    value = np.asarray(number, operand.dtype)
    return Array(value, weak_type=operand.weak_type and not operand.ndim, source=value)


def _truth(operand: Any) -> Any:
    return operand if operand.dtype.kind == "b" else apply_one(p.ne, operand, number_like(operand, 0))


def _logical(name: str, primitive: p.Primitive) -> Any:
    return lambda x1, x2: apply_one(primitive, *map(_truth, same_rank(name, same_dtype(x1, x2))))


logical_and, logical_or = _logical("logical_and", p.and_), _logical("logical_or", p.or_)


def logical_not(x: Any) -> Any:
    """``jnp.logical_not``."""
    return apply_one(p.not_, _truth(operand_of(x)))


def abs_(x: Any) -> Any:
    """``jnp.abs``; what has no sign is returned as it is."""
    operand = operand_of(x)
    return operand if operand.dtype.kind in "bu" else apply_one(p.abs_, operand)


def floor(x: Any) -> Any:
    """``jnp.floor``; integers are returned as they are."""
    operand = operand_of(x)
    return apply_one(p.floor, operand) if operand.dtype.kind == "f" else operand


def reciprocal(x: Any) -> Any:
    """``jnp.reciprocal``."""
    return apply_one(p.integer_pow, *same_dtype(x, to_inexact=True), y=-1)


def isnan(x: Any) -> Any:
    """``jnp.isnan``: what is not equal to itself."""
    operand = operand_of(x)
    return apply_one(p.ne, operand, operand)


def isfinite(x: Any) -> Any:
    """``jnp.isfinite``."""
    operand = operand_of(x)
    return apply_one(p.is_finite, operand) if operand.dtype.kind == "f" else broadcast_to(np.bool_(True), operand.shape)


def power(x1: Any, x2: Any) -> Any:
    """``jnp.power``: a known integer exponent becomes a parameter, an integer exponent of a float is not converted."""
    if isinstance(x2, int | np.integer | np.bool_) or (
        isinstance(x2, Array) and x2.ndim == 0 and x2.dtype.kind in "iu"
    ):
        (base,) = same_dtype(x1, numeric=True)
        if int(x2) < 0 and base.dtype.kind != "f":
            raise StagingTypeError(f"Integers cannot be raised to negative powers, got integer_pow({base.aval}, {x2})")
        return apply_one(p.integer_pow, base, y=int(x2))
    x1, x2 = same_rank("power", [operand_of(x1), operand_of(x2)])
    same = same_dtype(x1, x2, numeric=True)
    if same[0].dtype.kind != "f":
        raise refuse("jax.numpy.power of two integer arrays")
    return apply_one(p.pow_, x1, x2) if x1.dtype.kind == "f" and x2.dtype.kind in "iu" else apply_one(p.pow_, *same)


def remainder(x1: Any, x2: Any) -> Any:
    """``jnp.remainder``, with the sign of the divisor."""

    def compute(x1: Any, x2: Any) -> Any:
        x1, x2 = same_rank("remainder", same_dtype(x1, x2, numeric=True))
        zero = np.zeros((), x1.dtype)[()]
        if x2.dtype.kind != "f":
            x2 = where(equal(x2, 0), broadcast_to(convert(1, x2.dtype, x2.weak_type), x2.shape), x2)
        rest = apply_one(p.rem, x1, x2)
        is_rest = apply_one(p.ne, rest, zero)
        differ = apply_one(p.ne, apply_one(p.lt, rest, zero), apply_one(p.lt, x2, zero))
        moved = apply_one(p.and_, differ, is_rest)
        return apply_one(p.select_n, moved, rest, apply_one(p.add, rest, x2))

    return stage_and_call("remainder", compute, x1, x2)


mod = remainder


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """``jnp.where`` with three arguments."""
    if x is None or y is None:
        raise refuse("jax.numpy.where with one argument")

    def choose(condition: Any, x: Any, y: Any) -> Any:
        if condition.dtype.kind != "b":
            condition = apply_one(p.ne, condition, convert(0, condition.dtype, condition.weak_type))
        x, y = same_dtype(x, y)
        shapes = [x.shape, y.shape] + [condition.shape] * (condition.ndim > 0)
        shape = p.broadcast_shape("where", shapes)
        condition = broadcast_to(condition, shape) if condition.ndim else condition
        x, y = broadcast_to(x, shape), broadcast_to(y, shape)
        if 0 in shape:
            return x
        return apply_one(p.select_n, condition, y, x)

    return stage_and_call("_where", choose, condition, x, y)


def clip(x: Any, *limits: Any, **named: Any) -> Any:
    """``jnp.clip(x, min, max)``; limits may be left out."""
    given = {**dict(zip(("min", "max"), limits, strict=False)), **dict(sorted(named.items()))}
    names = [name for name, value in given.items() if value is not None]

    def limit(x: Any, *values: Any) -> Any:
        known = dict(zip(names, values, strict=True))
        x = maximum(known["min"], x) if "min" in known else x
        return minimum(known["max"], x) if "max" in known else x

    return stage_and_call("clip", limit, x, *(given[name] for name in names))


def astype(x: Any, dtype: Any) -> Any:
    """``x.astype``; the result is never weak."""
    return convert(x, dtype)
