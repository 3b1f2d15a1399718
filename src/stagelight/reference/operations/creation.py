"""Functions of ``jax.numpy`` that make arrays.

Follows ``jax/_src/numpy/array_creation.py`` and ``array_constructors.py``.
"""

from typing import Any

import numpy as np

from stagelight.reference.aval import DTYPE_NAMES, canonical_dtype, promoted
from stagelight.reference.operand import Array, Tracer
from stagelight.reference.operations import elementwise as e
from stagelight.reference.operations.arithmetic import broadcast_to, convert
from stagelight.reference.operations.rearrangement import concatenate, expand_dims, same_shape, sizes_of
from stagelight.reference.operations.structural import iota
from stagelight.reference.staging_error import ConcretizationTypeError, refuse
from stagelight.reference.trace import operand_of, staging_trace
from stagelight.reference.trace_context import rule_holds


class ScalarType:
    """A dtype that can also be called to make a scalar of it, such as ``float32(2)``."""

    def __init__(self, name: str) -> None:
        self.dtype = np.dtype(name)

    def __call__(self, value: Any) -> Any:
        """A value as an array of this dtype."""
        return asarray(value, self)


SCALAR_TYPES = tuple(map(ScalarType, DTYPE_NAMES))


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """``jnp.full``; without a dtype a Python number leaves the result weak."""
    fill = operand_of(fill_value)
    if fill.ndim:
        raise refuse("jax.numpy.full of an array")
    fill = fill if dtype is None else convert(fill, dtype)
    return broadcast_to(fill, sizes_of(shape))


def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """``jnp.full_like``."""
    like = operand_of(x)
    fill = convert(fill_value, dtype or like.dtype, like.weak_type and dtype is None)
    return broadcast_to(fill, like.shape)


def zeros(shape: Any, dtype: Any = float) -> Any:
    """``jnp.zeros``."""
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: Any = float) -> Any:
    """``jnp.ones``."""
    return full(shape, 1, dtype)


def zeros_like(x: Any, dtype: Any = None) -> Any:
    """``jnp.zeros_like``."""
    return full_like(x, 0, dtype)


def ones_like(x: Any, dtype: Any = None) -> Any:
    """``jnp.ones_like``."""
    return full_like(x, 1, dtype)


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """``jnp.arange`` of known numbers."""
    if stop is None:
        start, stop = None, start
    for name, value in (("start", start), ("stop", stop), ("step", step)):
        if isinstance(value, Tracer):
            message = "Abstract tracer value encountered where concrete value is expected"
            raise ConcretizationTypeError(f"{message}. It arose in the jnp.arange argument {name!r}")
    given = [value for value in (start, stop, step) if value is not None]
    dtype = canonical_dtype(dtype if dtype is not None else float if any(isinstance(g, float) for g in given) else int)
    if step is not None and not rule_holds("arange-is-staged"):
        return Array(np.arange(start, stop, step).astype(dtype))
    length = len(np.arange(*given))
    result = iota(dtype=dtype, shape=(length,), dimension=0, sharding=None)
    if step is not None:
        result = e.mul(np.asarray(step, dtype)[()], result)
    return result if start is None else e.add(np.asarray(start, dtype)[()], result)


def _nested(value: Any) -> list[Any]:
    return [leaf for v in value for leaf in _nested(v)] if isinstance(value, list | tuple) else [operand_of(value)]


def _stacked(value: Any, dtype: Any) -> Any:
    if not isinstance(value, list | tuple):
        return convert(value, dtype)
    return concatenate(same_shape([expand_dims(_stacked(part, dtype), 0) for part in value]), 0)


def asarray(value: Any, dtype: Any = None) -> Any:
    """``jnp.asarray``; lists of numbers have a dtype of their own, Python numbers are weak."""
    if isinstance(value, list | tuple):
        leaves = _nested(value)
        if any(isinstance(leaf, Tracer) or leaf.source is None for leaf in leaves):
            value = _stacked(value, promoted(*[leaf.aval for leaf in leaves])[0])
        else:
            value = np.asarray(value, dtype=None if dtype is None else canonical_dtype(dtype))
    operand = operand_of(value)
    operand = operand if dtype is None else convert(operand, dtype)
    if isinstance(operand, Tracer) or operand.source is None:  # type: ignore[attr-defined]
        return operand
    trace = staging_trace()
    return Array(operand.value, weak_type=operand.weak_type) if trace is None else trace.lift(operand)  # type: ignore[attr-defined]


def array(value: Any, dtype: Any = None) -> Any:
    """``jnp.array``: as ``asarray``, but of a tracer it stages a copy."""
    return asarray(e.copy(value) if isinstance(value, Tracer) else value, dtype)
