"""Functions of ``jax.numpy`` that reshape, join, take apart and index arrays.

Follows ``jax/_src/numpy/lax_numpy.py``, ``jax/_src/numpy/indexing.py`` and ``jax/_src/lax/slicing.py``.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stagelight.reference import primitive as p
from stagelight.reference.aval import promoted
from stagelight.reference.elementwise import apply_one, convert, same_dtype
from stagelight.reference.operand import Operand, Tracer
from stagelight.reference.staging_error import (
    NonConcreteBooleanIndexError,
    StagingTypeError,
    StagingValueError,
    refuse,
)
from stagelight.reference.trace import bind, operand_of
from stagelight.reference.trace_context import rule_holds


def sizes_of(shape: Any) -> tuple[int, ...]:
    """A shape as known integers; traced sizes are refused as JAX refuses them."""
    sizes = tuple(shape) if isinstance(shape, Sequence) else (shape,)
    for size in sizes:
        if isinstance(size, Tracer) and size.concrete() is None:
            raise StagingTypeError(
                f"Shapes must be 1D sequences of concrete values of integer type, got {sizes}. If using `jit`, try "
                f"using `static_argnums` or applying `jit` to smaller subfunctions. {size.trace.origin(size)}"
            )
    return tuple(int(size.__index__()) for size in sizes)


def axis_in(axis: Any, rank: int) -> int:
    """An axis counted from the front."""
    if not -rank <= axis < rank:
        raise StagingValueError(f"axis {axis} is out of bounds for array of dimension {rank}")
    return axis % rank


def reshape(x: Any, shape: Any) -> Any:
    """``jnp.reshape``; one size may be -1."""
    operand, sizes = operand_of(x), sizes_of(shape)
    if -1 in sizes:
        known = int(np.prod([size for size in sizes if size != -1]))
        sizes = tuple(operand.size // max(known, 1) if size == -1 else size for size in sizes)
    if int(np.prod(sizes)) != operand.size:
        raise StagingTypeError(
            f"cannot reshape array of shape {operand.shape} (size {operand.size}) into shape {shape} (size "
            f"{int(np.prod(sizes))})"
        )
    if sizes == operand.shape:
        return operand
    return apply_one(p.reshape, operand, new_sizes=sizes, dimensions=None, sharding=None)


def ravel(x: Any) -> Any:
    """``jnp.ravel``."""
    return reshape(x, (operand_of(x).size,))


def transpose(x: Any, axes: Any = None) -> Any:
    """``jnp.transpose``."""
    operand = operand_of(x)
    order = tuple(axis_in(axis, operand.ndim) for axis in axes) if axes else tuple(reversed(range(operand.ndim)))
    return operand if order == tuple(range(operand.ndim)) else apply_one(p.transpose, operand, permutation=order)


def expand_dims(x: Any, axis: Any) -> Any:
    """``jnp.expand_dims``."""
    operand = operand_of(x)
    given = axis if isinstance(axis, tuple) else (axis,)
    rank = operand.ndim + len(given)
    new = {axis_in(a, rank) for a in given}
    kept = tuple(a for a in range(rank) if a not in new)
    sizes = iter(operand.shape)
    shape = tuple(1 if a in new else next(sizes) for a in range(rank))
    return apply_one(p.broadcast_in_dim, operand, shape=shape, broadcast_dimensions=kept) if new else operand


def squeeze(x: Any, axis: Any = None) -> Any:
    """``jnp.squeeze``."""
    operand = operand_of(x)
    given = [a for a, size in enumerate(operand.shape) if size == 1] if axis is None else axis
    axes = tuple(axis_in(a, operand.ndim) for a in (given if isinstance(given, list | tuple) else [given]))
    if any(operand.shape[a] != 1 for a in axes):
        raise StagingValueError(f"cannot select an axis to squeeze out which has size not equal to one, got {axis}")
    return apply_one(p.squeeze, operand, dimensions=axes) if axes else operand


def concatenate(arrays: Sequence[Any], axis: int = 0) -> Any:
    """``jnp.concatenate``."""
    operands = same_dtype(*arrays)
    if len(operands) == 1:
        return operands[0]
    return apply_one(p.concatenate, *operands, dimension=axis_in(axis, operands[0].ndim))


def same_shape(operands: list[Any]) -> list[Any]:
    """The operands, which must have one shape to be stacked."""
    if len({operand.shape for operand in operands}) > 1:
        told = ", ".join(str(operand.shape) for operand in operands)
        raise StagingValueError(f"Cannot stack arrays of different shapes: {told}.")
    return operands


def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    """``jnp.stack``."""
    operands = same_shape([operand_of(array) for array in arrays])
    at = axis_in(axis, operands[0].ndim + 1)
    if rule_holds("stack-is-a-primitive"):
        return apply_one(p.stack, *same_dtype(*operands), axis=at)
    return concatenate([expand_dims(operand, at) for operand in operands], at)


def unstack(x: Any) -> list[Any]:
    """The rows of an array, as iterating over it gives them."""
    operand = operand_of(x)
    if rule_holds("unstack-is-a-primitive"):
        return bind(p.unstack, operand, axis=0) if len(operand) else []
    rest = operand.shape[1:]
    starts = [(i, *[0] * len(rest)) for i in range(len(operand))]
    return [squeeze(_sliced(operand, start, (start[0] + 1, *rest), row=True), 0) for start in starts]


def _sliced(
    operand: Any, start: Sequence[int], limit: Sequence[int], strides: Sequence[int] = (), *, row: bool = False
) -> Any:
    steps = tuple(strides) or (1,) * len(start)
    whole = not any(start) and tuple(limit) == operand.shape and set(steps) <= {1}
    if whole and not row:
        return operand
    shown = steps if row or set(steps) != {1} else None
    return apply_one(p.slice_, operand, start_indices=tuple(start), limit_indices=tuple(limit), strides=shown)


def _axis_indices(index: Any, rank: int) -> list[Any]:
    """The index with an entry for each axis, and ``None`` where the result gains an axis."""
    entries = list(index) if isinstance(index, tuple) else [index]
    for entry in entries:
        if isinstance(entry, Operand) and entry.dtype.kind == "b" and isinstance(entry, Tracer):
            raise NonConcreteBooleanIndexError(f"Array boolean indices must be concrete; got {entry.aval}")
        is_number = (
            isinstance(entry, int | np.integer | Operand)
            and not isinstance(entry, bool)
            and not getattr(entry, "ndim", 0)
        )
        if not (is_number or entry is None or entry is Ellipsis or isinstance(entry, slice)):
            raise refuse(f"indexing by {type(entry).__name__}")
        if isinstance(entry, Operand) and entry.dtype.kind not in "iu":
            raise StagingTypeError(f"Indexer must have integer or boolean type, got indexer with type {entry.dtype}")
    missing = rank - sum(entry is not None and entry is not Ellipsis for entry in entries)
    if missing < 0:
        raise StagingTypeError(f"Too many indices: array is {rank}-dimensional")
    at = next((i for i, entry in enumerate(entries) if entry is Ellipsis), len(entries))
    return [*entries[:at], *[slice(None)] * missing, *entries[at + 1 :]]


def take_index(x: Any, index: Any) -> Any:
    """``x[index]`` for integers, slices, ``None``, ``...`` and traced integers."""
    operand = operand_of(x)
    entries = _axis_indices(index, operand.ndim)
    axes = [entry for entry in entries if entry is not None]
    in_bounds = all(-n <= e < n for e, n in zip(axes, operand.shape, strict=True) if isinstance(e, int | np.integer))
    if in_bounds and not any(isinstance(entry, Operand) for entry in axes):
        result = _take_known(operand, axes)
    else:
        result = _take_traced(operand, axes)
    gone = tuple(i for i, entry in enumerate(axes) if not isinstance(entry, slice))
    result = squeeze(result, gone) if gone else result
    kept = [entry for entry in entries if entry is None or isinstance(entry, slice)]
    new = tuple(i for i, entry in enumerate(kept) if entry is None)
    return expand_dims(result, new) if new else result


def _take_known(operand: Any, axes: list[Any]) -> Any:
    ranges = [
        range(*e.indices(n)) if isinstance(e, slice) else range(e % n, e % n + 1)
        for e, n in zip(axes, operand.shape, strict=True)
    ]
    backwards = tuple(i for i, r in enumerate(ranges) if r.step < 0)
    ranges = [r[::-1] if r.step < 0 else r for r in ranges]
    stops = [
        max(r.stop if r.step == 1 or not len(r) else min(r.stop + r.step - 1, n), r.start)
        for r, n in zip(ranges, operand.shape, strict=True)
    ]
    result = _sliced(operand, [r.start for r in ranges], stops, [r.step for r in ranges])
    return apply_one(p.rev, result, dimensions=backwards) if backwards else result


def _take_traced(operand: Any, axes: list[Any]) -> Any:
    if any(isinstance(entry, slice) and entry != slice(None) for entry in axes):
        raise refuse("a traced index beside a partial slice")
    starts = [_wrapped(0 if isinstance(e, slice) else e, n) for e, n in zip(axes, operand.shape, strict=True)]
    sizes = tuple(n if isinstance(e, slice) else 1 for e, n in zip(axes, operand.shape, strict=True))
    return apply_one(p.dynamic_slice, operand, *starts, slice_sizes=sizes)


def _wrapped(index: Any, size: int) -> Any:
    """A start index counted from the front, by equations, as ``_normalize_index`` in ``jax/_src/indexing.py``."""
    start = operand_of(np.int32(index) if isinstance(index, int) else index)
    if start.dtype.kind == "u":
        return start
    is_negative = apply_one(p.lt, start, np.zeros((), start.dtype)[()])
    counted = apply_one(p.add, convert(start, start.dtype), np.asarray(size, start.dtype)[()])
    return apply_one(p.select_n, is_negative, start, counted)


def dot(a: Any, b: Any) -> Any:
    """``jnp.dot``: the last axis of one with the last but one of the other."""
    x, y = operand_of(a), operand_of(b)
    dtype, weak = promoted(x.aval, y.aval)
    contracted = ([x.ndim - 1], [max(y.ndim - 2, 0)]) if x.ndim and y.ndim else ([], [])
    result = apply_one(p.dot_general, x, y, dimension_numbers=(contracted, ([], [])), preferred_element_type=dtype)
    return convert(result, dtype, weak)


def matmul(a: Any, b: Any) -> Any:
    """``jnp.matmul`` of vectors and matrices."""
    x, y = operand_of(a), operand_of(b)
    if not x.ndim or not y.ndim:
        raise StagingValueError(f"matmul input operand must have ndim at least 1, got shapes {x.shape} and {y.shape}")
    if x.ndim > 2 or y.ndim > 2:
        raise refuse("jax.numpy.matmul of more than two axes")
    return dot(x, y)
