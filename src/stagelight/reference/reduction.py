"""Reductions of ``jax.numpy``.

Follows ``_reduction``, ``_mean`` and ``argmax`` in ``jax/_src/numpy/reductions.py`` and ``lax_numpy.py``: what is
converted before and after, and what keeps a dtype.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from stagelight.reference import primitive as p
from stagelight.reference.aval import canonical_dtype, inexact
from stagelight.reference.elementwise import apply_one, convert, divide
from stagelight.reference.rearrangement import axis_in, expand_dims, ravel
from stagelight.reference.staged_call import stage_and_call
from stagelight.reference.staging_error import StagingValueError, refuse
from stagelight.reference.trace import operand_of
from stagelight.reference.trace_context import current_context, rule_holds


def _axes(operand: Any, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(operand.ndim))
    return tuple(axis_in(a, operand.ndim) for a in (axis if isinstance(axis, tuple) else (axis,)))


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype("float32") if dtype.name == "float16" else dtype


def _promoted_integer(dtype: np.dtype[Any]) -> np.dtype[Any]:
    default = canonical_dtype("uint64" if dtype.kind == "u" else "int64")
    return default if dtype.kind in "biu" and dtype.itemsize < default.itemsize else dtype


def _reduced(
    primitive: p.Primitive,
    operand: Any,
    axes: tuple[int, ...],
    result: Any,
    *,
    keepdims: bool,
    wide: bool,
    sharding: bool,
) -> Any:
    operand = convert(operand, _wide(result) if wide else result)
    params = {"out_sharding": None} if sharding else {}
    reduced = apply_one(primitive, operand, axes=axes, **params)
    return convert(expand_dims(reduced, axes) if keepdims and axes else reduced, result)


def _accumulation(primitive: p.Primitive, *, sharding: bool) -> Callable[..., Any]:
    def reduce(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        operand = operand_of(x)
        operand = convert(operand, int) if operand.dtype.kind == "b" else operand
        result = canonical_dtype(dtype) if dtype is not None else _promoted_integer(operand.dtype)
        return _reduced(
            primitive, operand, _axes(operand, axis), result, keepdims=keepdims, wide=True, sharding=sharding
        )

    return reduce


def _extreme(name: str, primitive: p.Primitive) -> Callable[..., Any]:
    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        operand = operand_of(x)
        axes = _axes(operand, axis)
        if 0 in [operand.shape[a] for a in axes]:
            raise StagingValueError(f"zero-size array to reduction operation {name} which has no identity")
        sharding = rule_holds("reduce-max-has-a-sharding")
        return _reduced(primitive, operand, axes, operand.dtype, keepdims=keepdims, wide=False, sharding=sharding)

    return reduce


def _truth_of_all(primitive: p.Primitive) -> Callable[..., Any]:
    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        operand = operand_of(x)
        bool_ = np.dtype(bool)
        return _reduced(primitive, operand, _axes(operand, axis), bool_, keepdims=keepdims, wide=False, sharding=False)

    return reduce


sum_, prod = _accumulation(p.reduce_sum, sharding=True), _accumulation(p.reduce_prod, sharding=False)
max_, min_ = _extreme("max", p.reduce_max), _extreme("min", p.reduce_min)
any_, all_ = _truth_of_all(p.reduce_or), _truth_of_all(p.reduce_and)


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """``jnp.mean``: a sum divided by a number that was known while tracing."""
    operand = operand_of(x)
    result = inexact(operand.dtype)
    count = int(np.prod([operand.shape[a] for a in _axes(operand, axis)]))
    total = sum_(operand, axis, _wide(result), keepdims)
    return convert(divide(total, np.asarray(count, total.dtype)[()]), result)


def _position(primitive: p.Primitive) -> Callable[..., Any]:
    def find(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        operand = operand_of(x)
        if not operand.size:
            raise StagingValueError(f"attempt to get {primitive.name} of an empty sequence")
        flat = ravel(operand) if axis is None else operand
        axes = (0,) if axis is None else (axis_in(axis, operand.ndim),)
        index = "int64" if current_context().enable_x64 else "int32"
        found = apply_one(primitive, flat, axes=axes, index_dtype=np.dtype(index))
        return expand_dims(found, tuple(range(operand.ndim)) if axis is None else axes[0]) if keepdims else found

    return find


argmax, argmin = _position(p.argmax), _position(p.argmin)


def cumsum(x: Any, axis: Any = None) -> Any:
    """``jnp.cumsum``."""
    if isinstance(axis, tuple):
        raise refuse("jax.numpy.cumsum over several axes")

    def accumulate(x: Any) -> Any:
        operand = ravel(x) if axis is None else x
        operand = convert(operand, int if operand.dtype.kind == "b" else operand.dtype)
        at = 0 if axis is None else axis_in(axis, operand.ndim)
        return apply_one(p.cumsum, operand, axis=at, reverse=False)

    return stage_and_call("cumsum", accumulate, x)
