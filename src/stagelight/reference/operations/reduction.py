"""Reductions of ``jax.numpy``.

Follows ``_reduction``, ``_mean`` and ``argmax`` in ``jax/_src/numpy/reductions.py`` and ``lax_numpy.py``: what is
converted before and after, and what keeps a dtype.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from stagelight.reference.aval import canonical_dtype, inexact
from stagelight.reference.operations import structural as p
from stagelight.reference.operations.arithmetic import convert
from stagelight.reference.operations.rearrangement import axis_in, expand_dims, ravel
from stagelight.reference.staging_error import StagingValueError, refuse
from stagelight.reference.trace import Primitive, operand_of, stage_and_call
from stagelight.reference.trace_context import rule_holds


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
    primitive: Primitive,
    operand: Any,
    axes: tuple[int, ...],
    result: Any,
    keepdims: bool,
    *,
    has_sharding: bool = False,
) -> Any:
    params = {"out_sharding": None} if has_sharding else {}
    reduced = primitive(operand, axes=axes, **params)
    return convert(expand_dims(reduced, axes) if keepdims and axes else reduced, result)


def _total(primitive: Primitive, *, has_sharding: bool) -> Callable[..., Any]:
    def reduce(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        operand = operand_of(x)
        operand = convert(operand, int) if operand.dtype.kind == "b" else operand
        result = canonical_dtype(dtype) if dtype is not None else _promoted_integer(operand.dtype)
        axes = _axes(operand, axis)
        return _reduced(primitive, convert(operand, _wide(result)), axes, result, keepdims, has_sharding=has_sharding)

    return reduce


def _extreme(name: str, primitive: Primitive) -> Callable[..., Any]:
    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        operand = operand_of(x)
        operand, axes = convert(operand, operand.dtype), _axes(operand, axis)
        if 0 in [operand.shape[a] for a in axes]:
            raise StagingValueError(f"zero-size array to reduction operation {name} which has no identity")
        has_sharding = rule_holds("reduce-max-has-a-sharding")
        return _reduced(primitive, operand, axes, operand.dtype, keepdims, has_sharding=has_sharding)

    return reduce


def _truth(primitive: Primitive) -> Callable[..., Any]:
    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        operand = convert(x, bool)
        return _reduced(primitive, operand, _axes(operand, axis), bool, keepdims)

    return reduce


_sum = _total(p.reduce_sum, has_sharding=True)


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """``jnp.mean``: a sum divided by a number that was known while tracing."""
    operand = operand_of(x)
    result = inexact(operand.dtype)
    count = int(np.prod([operand.shape[a] for a in _axes(operand, axis)]))
    total = _sum(operand, axis, _wide(result), keepdims)
    return convert(total / np.asarray(count, total.dtype)[()], result)


def _position(primitive: Primitive) -> Callable[..., Any]:
    def find(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        operand = operand_of(x)
        if not operand.size:
            raise StagingValueError(f"attempt to get {primitive.name} of an empty sequence")
        axes = _axes(operand, axis)
        at = (0,) if axis is None else axes
        found = primitive(ravel(operand) if axis is None else operand, axes=at, index_dtype=canonical_dtype(int))
        return expand_dims(found, axes) if keepdims else found

    return find


def cumsum(x: Any, axis: Any = None) -> Any:
    """``jnp.cumsum``."""
    if isinstance(axis, tuple):
        raise refuse("jax.numpy.cumsum over several axes")

    def accumulate(x: Any) -> Any:
        operand = ravel(x) if axis is None else x
        operand = convert(operand, int if operand.dtype.kind == "b" else operand.dtype)
        at = 0 if axis is None else axis_in(axis, operand.ndim)
        return p.cumsum(operand, axis=at, reverse=False)

    return stage_and_call("cumsum", accumulate, x)


REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": _sum,
    "prod": _total(p.reduce_prod, has_sharding=False),
    "max": _extreme("max", p.reduce_max),
    "min": _extreme("min", p.reduce_min),
    "any": _truth(p.reduce_or),
    "all": _truth(p.reduce_and),
    "argmax": _position(p.argmax),
    "argmin": _position(p.argmin),
    "mean": mean,
    "cumsum": cumsum,
}
