"""Functions of ``jax.numpy`` that make, reshape, join, take apart and index arrays.

Follows ``lax_numpy.py``, ``array_creation.py``, ``array_constructors.py`` and ``indexing.py`` in ``jax/_src/numpy``,
and ``jax/_src/lax/slicing.py``.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from stagelight.reference import staging_error as errors
from stagelight.reference.aval import DTYPE_NAMES, canonical_dtype, promoted, rule_holds
from stagelight.reference.operand import Array, Operand, Tracer
from stagelight.reference.operations import arithmetic as e
from stagelight.reference.operations import structural as p
from stagelight.reference.staging_error import NotModelledError, require, require_value
from stagelight.reference.trace import bind, operand_of, staging_trace


def _sizes_of(shape: Any) -> tuple[int, ...]:
    """A shape as known integers; traced sizes are refused as JAX refuses them."""
    sizes = tuple(shape) if isinstance(shape, Sequence) else (shape,)
    unknown = [size.described() for size in sizes if isinstance(size, Tracer) and size.known() is None]
    require(not unknown, f"Shapes must be 1D sequences of concrete values. Try `static_argnums`. {unknown}")
    return tuple(int(size.__index__()) for size in sizes)


def reshape(x: Any, shape: Any) -> Any:
    """``jnp.reshape``; one size may be -1."""
    sizes = _sizes_of(shape)
    missing = x.size // max(int(np.prod([size for size in sizes if size != -1])), 1)
    sizes = tuple(missing if size == -1 else size for size in sizes)
    require(np.prod(sizes) == x.size, f"cannot reshape array of shape {x.shape} (size {x.size}) into shape {shape}")
    return x if sizes == x.shape else p.reshape(x, new_sizes=sizes, dimensions=None, sharding=None)


def transpose(x: Any, axes: Any = None) -> Any:
    """``jnp.transpose``."""
    order = p.axes_in(axes, x.ndim) if axes else tuple(reversed(range(x.ndim)))
    return x if order == tuple(range(x.ndim)) else p.transpose(x, permutation=order)


def squeeze(x: Any, axis: Any = None) -> Any:
    """``jnp.squeeze``."""
    axes = p.axes_in([a for a, size in enumerate(x.shape) if size == 1] if axis is None else axis, x.ndim)
    require_value(all(x.shape[a] == 1 for a in axes), f"cannot squeeze axis {axis} of shape {x.shape}: not of size one")
    return p.squeeze(x, dimensions=axes) if axes else x


def concatenate(arrays: Sequence[Any], axis: int = 0) -> Any:
    """``jnp.concatenate``."""
    operands = e.same_dtype(*arrays)
    (at,) = p.axes_in(axis, operands[0].ndim)
    return p.concatenate(*operands, dimension=at) if len(operands) > 1 else operands[0]


def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    """``jnp.stack``."""
    operands = [operand_of(array) for array in arrays]
    shapes = [operand.shape for operand in operands]
    require_value(len({*shapes}) == 1, f"Cannot stack arrays of different shapes: {shapes}.")
    (at,) = p.axes_in(axis, len(shapes[0]) + 1)
    if rule_holds("stack-is-a-primitive"):
        return p.stack(*e.same_dtype(*operands), axis=at)
    return concatenate([p.expand_dims(operand, at) for operand in operands], at)


def unstack(x: Any) -> list[Any]:
    """The rows of an array, as iterating over it gives them."""
    if rule_holds("unstack-is-a-primitive"):
        return bind(p.unstack, x, axis=0) if len(x) else []
    return p.look_into_unstack(x, axis=0)


def _require_index(entry: Any) -> None:
    """Refuse what does not index, and what the machine does not index by."""
    is_mask = isinstance(entry, Tracer) and entry.dtype.kind == "b"
    require(not is_mask, f"Array boolean indices must be concrete; got {entry}", errors.NonConcreteBooleanIndexError)
    is_modelled = isinstance(entry, int | np.integer | Operand | slice | type(...) | None)
    is_modelled = is_modelled and not isinstance(entry, bool) and not getattr(entry, "ndim", 0)
    require(is_modelled, f"indexing by {type(entry).__name__}", NotModelledError)
    require(getattr(entry, "dtype", np.dtype(int)).kind in "iu", f"Indexer must have integer type, got {entry}")


def take_index(x: Any, index: Any) -> Any:
    """``x[index]`` for integers, slices, ``None``, ``...`` and traced integers."""
    entries = list(index) if isinstance(index, tuple) else [index]
    for entry in entries:
        _require_index(entry)
    missing = x.ndim - sum(entry is not None and entry is not Ellipsis for entry in entries)
    require(missing >= 0, f"Too many indices: array is {x.ndim}-dimensional")
    at = next((i for i, entry in enumerate(entries) if entry is Ellipsis), len(entries))
    entries[at : at + 1] = [slice(None)] * missing
    axes = [entry for entry in entries if entry is not None]
    pairs = list(zip(axes, x.shape, strict=True))
    has_rows = all(isinstance(a, slice) or n for a, n in pairs)
    require(has_rows, f"an index is out of bounds for an array of shape {x.shape}", errors.StagingIndexError)
    is_known = all(isinstance(a, slice) or (not isinstance(a, Operand) and -n <= a < n) for a, n in pairs)
    gone = tuple(i for i, entry in enumerate(axes) if not isinstance(entry, slice))
    new = [entry is None for entry in entries if entry is None or isinstance(entry, slice)]
    x = squeeze((_take_known if is_known else _take_traced)(x, axes), gone)
    return p.expand_dims(x, tuple(np.flatnonzero(new).tolist()))


def _take_known(x: Any, axes: list[Any]) -> Any:
    slices = [a if isinstance(a, slice) else slice(a, a + 1 or None) for a in axes]
    ranges = [range(*a.indices(n)) for a, n in zip(slices, x.shape, strict=True)]
    backwards = tuple(i for i, r in enumerate(ranges) if r.step < 0)
    spans = [r[::-1] if r.step < 0 else r for r in ranges]
    # With a step JAX's limit lies as far out as it can.
    pairs = zip(spans, x.shape, strict=True)
    limits = tuple(max(r.start, min(r.stop + r.step - 1, n) if len(r) else r.stop) for r, n in pairs)
    starts, strides = (tuple(getattr(r, name) for r in spans) for name in ("start", "step"))
    strides = strides if set(strides) - {1} else None
    if strides or (starts, limits) != ((0,) * x.ndim, x.shape):
        x = p.slice_(x, start_indices=starts, limit_indices=limits, strides=strides)
    return p.rev(x, dimensions=backwards) if backwards else x


def _take_traced(x: Any, axes: list[Any]) -> Any:
    is_whole = all(not isinstance(entry, slice) or entry == slice(None) for entry in axes)
    require(is_whole, "a traced index beside a partial slice", NotModelledError)
    # Over several axes JAX converts all indices first; ``_normalize_index`` in ``jax/_src/indexing.py`` then wraps.
    given = [np.int32(0) if isinstance(a, slice) else np.int32(a) if isinstance(a, int) else a for a in axes]
    indices = [operand_of(index) if x.ndim == 1 else e.convert(index, int) for index in given]
    starts = [_wrapped(index, n) for index, n in zip(indices, x.shape, strict=True)]
    sizes = tuple(n if isinstance(a, slice) else 1 for a, n in zip(axes, x.shape, strict=True))
    return p.dynamic_slice(x, *starts, slice_sizes=sizes)


def _wrapped(index: Any, size: int) -> Any:
    """A start index counted from the front, by equations."""
    if index.dtype.kind == "u":
        return index
    is_negative = e.lt(index, e.number_like(index, 0))
    return e.select_n(is_negative, index, e.add(e.convert(index, index.dtype), np.asarray(size, index.dtype)[()]))


def dot(x: Any, y: Any) -> Any:
    """``jnp.dot`` of vectors and matrices: the last axis of one with the first of the other."""
    y = operand_of(y)
    require(max(x.ndim, y.ndim) <= 2, "the product of arrays of more than two axes", NotModelledError)
    dtype, weak = promoted(x.aval, y.aval)
    contracted = ([x.ndim - 1], [0]) if x.ndim and y.ndim else ([], [])
    result = p.dot_general(x, y, dimension_numbers=(contracted, ([], [])), preferred_element_type=dtype)
    return e.convert(result, dtype, weak)


def matmul(x: Any, y: Any) -> Any:
    """``jnp.matmul``."""
    require_value(x.ndim and operand_of(y).ndim, "matmul operands must have at least one axis")
    return dot(x, y)


def _scalar_type(name: str) -> Any:
    """A dtype that can also be called to make a scalar of it, such as ``float32(2)``."""
    made: Any = partial(asarray, dtype=name)
    made.dtype = np.dtype(name)
    return made


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """``jnp.full``; without a dtype a Python number leaves the result weak."""
    fill = operand_of(fill_value)
    require(not fill.ndim, "jax.numpy.full of an array", NotModelledError)
    return p.broadcast_to(fill if dtype is None else e.convert(fill, dtype), _sizes_of(shape))


def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """``jnp.full_like``."""
    return p.broadcast_to(e.convert(fill_value, dtype or x.dtype, x.weak_type and dtype is None), x.shape)


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """``jnp.arange`` of known numbers."""
    start, stop = (None, start) if stop is None else (start, stop)
    given = [value for value in (start, stop, step) if value is not None]
    is_known = not any(isinstance(value, Tracer) for value in given)
    require(is_known, "A concrete value is expected: jnp.arange needs known numbers", errors.ConcretizationTypeError)
    dtype = canonical_dtype(dtype if dtype is not None else float if any(isinstance(g, float) for g in given) else int)
    if step is not None and not rule_holds("arange-is-staged"):
        return Array(np.arange(start, stop, step).astype(dtype))
    result = p.iota(dtype=dtype, shape=(len(np.arange(*given)),), dimension=0, sharding=None)
    result = result if step is None else e.mul(np.asarray(step, dtype)[()], result)
    return result if start is None else e.add(np.asarray(start, dtype)[()], result)


def asarray(value: Any, dtype: Any = None) -> Any:
    """``jnp.asarray``; lists of numbers have a dtype of their own, Python numbers are weak."""
    if isinstance(value, list | tuple) and any(isinstance(part, Operand) for part in value):
        together = promoted(*[operand_of(part).aval for part in value])[0]
        value = concatenate([p.expand_dims(e.convert(part, together), 0) for part in value])
    value = np.asarray(value) if isinstance(value, list | tuple) else value
    operand = operand_of(value) if dtype is None else e.convert(value, dtype)
    if isinstance(operand, Tracer) or operand.source is None:
        return operand
    trace = staging_trace()
    return Array(operand.value, weak_type=operand.weak_type) if trace is None else trace.lift(operand)


def array(value: Any, dtype: Any = None) -> Any:
    """``jnp.array``: as ``asarray``, but of a tracer it stages a copy."""
    return asarray(e.copy(value) if isinstance(value, Tracer) else value, dtype)


def _by_name(*functions: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    return {function.__name__: function for function in functions}


# Functions of an array, which comes as an operand from the namespace.
OF_ARRAYS = _by_name(
    reshape, transpose, p.broadcast_to, p.expand_dims, squeeze, unstack, take_index, dot, matmul, full_like
) | {
    "ravel": lambda x: reshape(x, (x.size,)),
    "zeros_like": lambda x, dtype=None: full_like(x, 0, dtype),
    "ones_like": lambda x, dtype=None: full_like(x, 1, dtype),
}
# Functions of shapes, numbers and lists.
OF_OTHERS: dict[str, Any] = _by_name(concatenate, stack, full, arange, asarray, array) | {
    "zeros": lambda shape, dtype=float: full(shape, 0, dtype),
    "ones": lambda shape, dtype=float: full(shape, 1, dtype),
    **{name: _scalar_type(name) for name in DTYPE_NAMES},
}
