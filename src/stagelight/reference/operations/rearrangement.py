"""Functions of ``jax.numpy`` that reshape, join, take apart and index arrays.

Follows ``jax/_src/numpy/lax_numpy.py``, ``jax/_src/numpy/indexing.py`` and ``jax/_src/lax/slicing.py``.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stagelight.reference.aval import promoted
from stagelight.reference.operand import Operand, Tracer
from stagelight.reference.operations import elementwise as e
from stagelight.reference.operations import structural as p
from stagelight.reference.operations.arithmetic import convert, number_like, same_dtype
from stagelight.reference.staging_error import NonConcreteBooleanIndexError, StagingTypeError, StagingValueError, refuse
from stagelight.reference.trace import bind, operand_of
from stagelight.reference.trace_context import rule_holds


def sizes_of(shape: Any) -> tuple[int, ...]:
    """A shape as known integers; traced sizes are refused as JAX refuses them."""
    sizes = tuple(shape) if isinstance(shape, Sequence) else (shape,)
    for size in sizes:
        if isinstance(size, Tracer) and size.known() is None:
            says = f"Shapes must be 1D sequences of concrete values of integer type, got {sizes}. If using `jit`, try"
            how = f"using `static_argnums` or applying `jit` to smaller subfunctions. {size.trace.origin(size)}"
            raise StagingTypeError(f"{says} {how}")
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
    size = int(np.prod(sizes))
    if size != operand.size:
        of = f"of shape {operand.shape} (size {operand.size})"
        raise StagingTypeError(f"cannot reshape array {of} into shape {shape} (size {size})")
    return operand if sizes == operand.shape else p.reshape(operand, new_sizes=sizes, dimensions=None, sharding=None)


def ravel(x: Any) -> Any:
    """``jnp.ravel``."""
    return reshape(x, (operand_of(x).size,))


def transpose(x: Any, axes: Any = None) -> Any:
    """``jnp.transpose``."""
    operand = operand_of(x)
    order = tuple(axis_in(axis, operand.ndim) for axis in axes) if axes else tuple(reversed(range(operand.ndim)))
    return operand if order == tuple(range(operand.ndim)) else p.transpose(operand, permutation=order)


def expand_dims(x: Any, axis: Any) -> Any:
    """``jnp.expand_dims``."""
    operand = operand_of(x)
    given = axis if isinstance(axis, tuple) else (axis,)
    rank = operand.ndim + len(given)
    new = {axis_in(a, rank) for a in given}
    kept = tuple(a for a in range(rank) if a not in new)
    sizes = iter(operand.shape)
    shape = tuple(1 if a in new else next(sizes) for a in range(rank))
    return p.broadcast_in_dim(operand, shape=shape, broadcast_dimensions=kept) if new else operand


def squeeze(x: Any, axis: Any = None) -> Any:
    """``jnp.squeeze``."""
    operand = operand_of(x)
    given = [a for a, size in enumerate(operand.shape) if size == 1] if axis is None else axis
    axes = tuple(axis_in(a, operand.ndim) for a in (given if isinstance(given, list | tuple) else [given]))
    if any(operand.shape[a] != 1 for a in axes):
        raise StagingValueError(f"cannot select an axis to squeeze out which has size not equal to one, got {axis}")
    return p.squeeze(operand, dimensions=axes) if axes else operand


def concatenate(arrays: Sequence[Any], axis: int = 0) -> Any:
    """``jnp.concatenate``."""
    operands = same_dtype(*arrays)
    if len(operands) == 1:
        return operands[0]
    return p.concatenate(*operands, dimension=axis_in(axis, operands[0].ndim))


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
        return p.stack(*same_dtype(*operands), axis=at)
    return concatenate([expand_dims(operand, at) for operand in operands], at)


def unstack(x: Any) -> list[Any]:
    """The rows of an array, as iterating over it gives them."""
    operand = operand_of(x)
    if rule_holds("unstack-is-a-primitive"):
        return bind(p.unstack, operand, axis=0) if len(operand) else []
    rest = operand.shape[1:]
    return [
        squeeze(p.slice_(operand, **_bounds([(i, i + 1), *((0, n) for n in rest)]), strides=(1,) * operand.ndim), 0)
        for i in range(len(operand))
    ]


def _bounds(spans: Sequence[tuple[int, int]]) -> dict[str, tuple[int, ...]]:
    return {"start_indices": tuple(a for a, _ in spans), "limit_indices": tuple(b for _, b in spans)}


def _require_index(entry: Any) -> None:
    """Refuse what does not index, and what the machine does not index by."""
    if isinstance(entry, Tracer) and entry.dtype.kind == "b":
        raise NonConcreteBooleanIndexError(f"Array boolean indices must be concrete; got {entry.aval}")
    is_number = isinstance(entry, int | np.integer | Operand) and not isinstance(entry, bool)
    if not ((is_number and not getattr(entry, "ndim", 0)) or entry is None or entry is ... or isinstance(entry, slice)):
        raise refuse(f"indexing by {type(entry).__name__}")
    if isinstance(entry, Operand) and entry.dtype.kind not in "iu":
        raise StagingTypeError(f"Indexer must have integer or boolean type, got indexer with type {entry.dtype}")


def _axis_indices(index: Any, rank: int) -> list[Any]:
    """The index with an entry for each axis, and ``None`` where the result gains an axis."""
    entries = list(index) if isinstance(index, tuple) else [index]
    for entry in entries:
        _require_index(entry)
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
    numbers = [(a, n) for a, n in zip(axes, operand.shape, strict=True) if not isinstance(a, slice)]
    is_known = all(not isinstance(a, Operand) and -n <= a < n for a, n in numbers)
    result = (_take_known if is_known else _take_traced)(operand, axes)
    gone = tuple(i for i, entry in enumerate(axes) if not isinstance(entry, slice))
    result = squeeze(result, gone) if gone else result
    kept = [entry for entry in entries if entry is None or isinstance(entry, slice)]
    new = tuple(i for i, entry in enumerate(kept) if entry is None)
    return expand_dims(result, new) if new else result


def _take_known(operand: Any, axes: list[Any]) -> Any:
    pairs = list(zip(axes, operand.shape, strict=True))
    ranges = [range(*a.indices(n)) if isinstance(a, slice) else range(a % n, a % n + 1) for a, n in pairs]
    backwards = tuple(i for i, r in enumerate(ranges) if r.step < 0)
    spans = [r[::-1] if r.step < 0 else r for r in ranges]
    # With a step JAX's limit lies as far out as it can.
    limits = [min(r.stop + r.step - 1, n) if len(r) else r.stop for r, n in zip(spans, operand.shape, strict=True)]
    bounds = [(r.start, max(limit, r.start)) for r, limit in zip(spans, limits, strict=True)]
    steps = tuple(r.step for r in spans)
    if set(steps) - {1} or bounds != [(0, n) for n in operand.shape]:
        operand = p.slice_(operand, **_bounds(bounds), strides=steps if set(steps) - {1} else None)
    return p.rev(operand, dimensions=backwards) if backwards else operand


def _take_traced(operand: Any, axes: list[Any]) -> Any:
    if any(isinstance(entry, slice) and entry != slice(None) for entry in axes):
        raise refuse("a traced index beside a partial slice")
    pairs = list(zip(axes, operand.shape, strict=True))
    # Over several axes JAX converts all indices first; ``_normalize_index`` in ``jax/_src/indexing.py`` then wraps.
    given = [np.int32(0) if isinstance(a, slice) else np.int32(a) if isinstance(a, int) else a for a in axes]
    indices = [operand_of(index) if operand.ndim == 1 else convert(index, int) for index in given]
    starts = [_wrapped(index, n) for index, n in zip(indices, operand.shape, strict=True)]
    sizes = tuple(n if isinstance(a, slice) else 1 for a, n in pairs)
    return p.dynamic_slice(operand, *starts, slice_sizes=sizes)


def _wrapped(index: Any, size: int) -> Any:
    """A start index counted from the front, by equations."""
    if index.dtype.kind == "u":
        return index
    is_negative = e.lt(index, number_like(index, 0))
    return e.select_n(is_negative, index, e.add(convert(index, index.dtype), np.asarray(size, index.dtype)[()]))


def dot(a: Any, b: Any) -> Any:
    """``jnp.dot``: the last axis of one with the last but one of the other."""
    x, y = operand_of(a), operand_of(b)
    dtype, weak = promoted(x.aval, y.aval)
    contracted = ([x.ndim - 1], [max(y.ndim - 2, 0)]) if x.ndim and y.ndim else ([], [])
    result = p.dot_general(x, y, dimension_numbers=(contracted, ([], [])), preferred_element_type=dtype)
    return convert(result, dtype, weak)


def matmul(a: Any, b: Any) -> Any:
    """``jnp.matmul`` of vectors and matrices."""
    x, y = operand_of(a), operand_of(b)
    if not x.ndim or not y.ndim:
        raise StagingValueError(f"matmul input operand must have ndim at least 1, got shapes {x.shape} and {y.shape}")
    if x.ndim > 2 or y.ndim > 2:
        raise refuse("jax.numpy.matmul of more than two axes")
    return dot(x, y)
