"""Primitives that move, join, reduce and contract elements: NumPy evaluation, transposition, and what they share.

Follows ``jax/_src/lax/lax.py`` and ``slicing.py``. Under ``vmap`` the batch axis comes in front, so that the parameters
which name axes or sizes change, each in one way. Where JAX batches with a gather, or has a rule that is longer than the
primitive, transformations look into what the primitive is made of.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from stagelight.reference.aval import Aval
from stagelight.reference.operand import Operand
from stagelight.reference.staging_error import require, require_value
from stagelight.reference.trace import Params, Primitive, bind, calling, operand_of

# How a parameter changes when a batch axis comes in front, from its value and the size of the batch.
_CHANGES: dict[str, Callable[[Any, int], Any]] = {
    "dimension": lambda axis, _: axis + 1,
    "start_indices": lambda starts, _: (0, *starts),
    "strides": lambda strides, _: strides and (1, *strides),
    **dict.fromkeys(("axes", "dimensions"), lambda axes, _: axes and tuple(axis + 1 for axis in axes)),
    **dict.fromkeys(("permutation", "broadcast_dimensions"), lambda axes, _: (0, *(axis + 1 for axis in axes))),
    **dict.fromkeys(("shape", "new_sizes", "limit_indices"), lambda sizes, size: (size, *sizes)),
}


def _batch(trace: Any, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
    changed = {name: change(params[name], trace.size) for name, change in _CHANGES.items() if name in params}
    return [trace.batched(result) for result in bind(primitive, *map(trace.whole, tracers), **{**params, **changed})]


def structural(name: str, compute: Any, *uses: str, pull: Any) -> Primitive:
    """A row of the table: a function of NumPy, and the parameters it uses.

    The shape is that of a view that NumPy makes of a repeated zero.
    """

    def evaluate(*values: Any, **params: Any) -> Any:
        return compute(*values, *[params[use] for use in uses])

    def infer(*avals: Aval, **params: Any) -> Aval:
        views = [np.broadcast_to(np.zeros((), aval.dtype), aval.shape) for aval in avals]
        return avals[0]._replace(shape=evaluate(*views, **params).shape)

    return Primitive(name, infer, evaluate, _batch, pull)


def _shaped(parameter: str) -> Callable[..., Aval]:
    return lambda x, *_, **params: x._replace(shape=tuple(params[parameter]))


def reduction(name: str, compute: Callable[..., Any], pull: Any = lambda *_, **__: ()) -> Primitive:
    """A row of the table: what reduces along ``axes``."""

    def infer(aval: Aval, *, axes: Any, **_: Any) -> Aval:
        return aval._replace(shape=tuple(size for axis, size in enumerate(aval.shape) if axis not in axes))

    return Primitive(name, infer, lambda x, *, axes, **_: compute(x, axes), _batch, pull)


def axes_in(axis: Any, rank: int) -> tuple[int, ...]:
    """An axis, some axes or all of them, counted from the front."""
    axes = range(rank) if axis is None else axis if isinstance(axis, list | tuple) else (axis,)
    require_value(all(-rank <= a < rank for a in axes), f"axis {axis} is out of bounds for an array of {rank} axes")
    return tuple(a % rank for a in axes)


def expand_dims(x: Any, axis: Any) -> Any:
    """``jnp.expand_dims``."""
    rank = x.ndim + len(axis if isinstance(axis, tuple) else (axis,))
    new = axes_in(axis, rank)
    kept = tuple(a for a in range(rank) if a not in new)
    shape = tuple(1 if a in new else x.shape[kept.index(a)] for a in range(rank))
    return broadcast_in_dim(x, shape=shape, broadcast_dimensions=kept) if new else x


def broadcast_to(x: Any, shape: Any) -> Any:
    """``lax.broadcast_to``: no equation where the shape is the same."""
    x, rank = operand_of(x), len(shape)
    require_value(x.ndim <= rank, f"Cannot broadcast an array of shape {x.shape} to shape {shape}.")
    axes = tuple(range(rank - x.ndim, rank))
    return x if x.shape == shape else broadcast_in_dim(x, shape=tuple(shape), broadcast_dimensions=axes)


def summed_to(x: Any, shape: tuple[int, ...]) -> Any:
    """The transpose of broadcasting from a shape of the same rank, or of a scalar."""
    axes = tuple(i for i in range(x.ndim) if not shape or (shape[i] == 1 and x.shape[i] != 1))
    return (x.sum(axes) if axes else x).reshape(shape)


def _broadcast(x: Any, shape: Any, dimensions: Any) -> Any:
    placed = [x.shape[dimensions.index(i)] if i in dimensions else 1 for i in range(len(shape))]
    return np.broadcast_to(x.reshape(placed), shape)


def _pull_broadcast(cotangent: Any, _: Any, x: Any, *, broadcast_dimensions: Any, **__: Any) -> list[Any]:
    axes = tuple(i for i in range(cotangent.ndim) if i not in broadcast_dimensions)
    return [summed_to(cotangent.sum(axes) if axes else cotangent, x.shape) if x.ndim else cotangent.sum()]


def _pull_transpose(cotangent: Any, *_: Any, permutation: Any) -> list[Any]:
    return [cotangent.transpose(tuple(np.argsort(permutation).tolist()))]


def _place(x: Any, start_indices: Any, shape: Any, strides: Any) -> Any:
    room = np.zeros(shape, x.dtype)
    pairs = zip(start_indices, strides or (1,) * x.ndim, x.shape, strict=True)
    room[tuple(slice(start, start + size * stride, stride) for start, stride, size in pairs)] = x
    return room


def _slice(x: Any, starts: Any, limits: Any, strides: Any) -> Any:
    return x[tuple(map(slice, starts, limits, strides or (1,) * x.ndim))]


def _pull_slice(cotangent: Any, _: Any, x: Any, *, limit_indices: Any, **params: Any) -> list[Any]:
    return [place(cotangent, **params, shape=x.shape)]


def _dynamic_slice(x: Any, *starts: Any, slice_sizes: Any) -> Any:
    begin = [int(np.clip(s, 0, n - size)) for s, n, size in zip(starts, x.shape, slice_sizes, strict=True)]
    return x[tuple(slice(b, b + size) for b, size in zip(begin, slice_sizes, strict=True))]


def _look_into_dynamic_slice(x: Any, *starts: Any, slice_sizes: Any) -> list[Any]:
    """A row is a sum in which the others are zero; the machine slices one row or all of an axis."""
    for axis, (start, size) in enumerate(zip(starts, x.shape, strict=True)):
        if slice_sizes[axis] < size:
            rows = Operand.functions.arange(size).reshape(*[1] * axis, size, *[1] * (x.ndim - axis - 1))
            is_row = rows == Operand.functions.maximum(Operand.functions.minimum(start.astype(int), size - 1), 0)
            x = Operand.functions.where(is_row, x, np.zeros((), x.dtype)[()]).sum(axis, x.dtype, True)
    return [x]


def _concatenate(*xs: Any, dimension: int) -> Any:
    return np.concatenate(xs, dimension)


def _infer_concatenate(*avals: Aval, dimension: int) -> Aval:
    shapes = [aval.shape for aval in avals]
    rest = {(*s[:dimension], *s[dimension + 1 :]) for s in shapes}
    require(len(rest) == 1, f"Cannot concatenate shapes {shapes}: they differ in other dimensions than {dimension}.")
    shape = (*shapes[0][:dimension], sum(s[dimension] for s in shapes), *shapes[0][dimension + 1 :])
    return avals[0]._replace(shape=shape)


def _pull_concatenate(cotangent: Any, _: Any, *xs: Any, dimension: int) -> list[Any]:
    ends, before = np.cumsum([x.shape[dimension] for x in xs]).tolist(), [slice(None)] * dimension
    return [cotangent[(*before, slice(end - x.shape[dimension], end))] for x, end in zip(xs, ends, strict=True)]


def _infer_stack(first: Aval, *others: Aval, axis: int) -> Aval:
    return first._replace(shape=(*first.shape[:axis], 1 + len(others), *first.shape[axis:]))


def look_into_unstack(x: Any, *, axis: int) -> list[Any]:
    """The rows as slices, which is how iteration was staged before it had a primitive."""
    first, rest = (0,) * (x.ndim - 1), x.shape[1:]
    bounds = [{"start_indices": (i, *first), "limit_indices": (i + 1, *rest)} for i in range(len(x))]
    return [squeeze(slice_(x, **bound, strides=(1,) * x.ndim), dimensions=(0,)) for bound in bounds]


def _along(x: Any, axes: Any, shape: Any) -> Any:
    kept = tuple(axis for axis in range(len(shape)) if axis not in axes)
    return broadcast_in_dim(x, shape=shape, broadcast_dimensions=kept)


def _pull_extreme(cotangent: Any, y: Any, x: Any, *, axes: Any, **_: Any) -> list[Any]:
    at = (x == _along(y, axes, x.shape)).astype(x.dtype)
    return [at * _along(cotangent / at.sum(axes), axes, x.shape)]


def _infer_dot(x: Aval, y: Aval, *, preferred_element_type: Any, **_: Any) -> Aval:
    left, right = (x.shape[:-1], y.shape[1:]) if x.shape and y.shape else (x.shape, y.shape)
    fits = not x.shape or not y.shape or x.shape[-1] == y.shape[0]
    require(fits, f"dot_general requires contracting dimensions of the same size, got {x.shape} and {y.shape}.")
    result = preferred_element_type
    is_wide = all(a.dtype.kind != result.kind or a.dtype.itemsize <= result.itemsize for a in (x, y))
    require(is_wide, f"dot_general of {x} and {y} cannot give the narrower {result}.")
    return Aval(left + right, result, x.weak_type and y.weak_type)


def _look_into_dot(x: Any, y: Any, *, preferred_element_type: Any, **_: Any) -> list[Any]:
    """Products and their sum, for vectors and matrices; a scalar scales."""
    x, y = x.astype(preferred_element_type), y.astype(preferred_element_type)
    if not x.ndim or not y.ndim:
        return [x * y]
    product = x.reshape(*x.shape, *[1] * (y.ndim - 1)) * y.reshape(*[1] * (x.ndim - 1), *y.shape)
    return [reduce_sum(product, axes=(x.ndim - 1,), out_sharding=None)]


broadcast_in_dim = structural("broadcast_in_dim", _broadcast, "shape", "broadcast_dimensions", pull=_pull_broadcast)
reshape = structural("reshape", np.reshape, "new_sizes", pull=lambda ct, _, x, **__: [ct.reshape(x.shape)])
squeeze = structural("squeeze", np.squeeze, "dimensions", pull=lambda ct, _, x, **__: [ct.reshape(x.shape)])
transpose = structural("transpose", np.transpose, "permutation", pull=_pull_transpose)
rev = structural("rev", np.flip, "dimensions", pull=lambda cotangent, *_, **params: [rev(cotangent, **params)])
slice_ = structural("slice", _slice, "start_indices", "limit_indices", "strides", pull=_pull_slice)
# The transpose of slice; JAX uses pad for it.
place = Primitive("place", _shaped("shape"), _place, _batch)
dynamic_slice = Primitive("dynamic_slice", _shaped("slice_sizes"), _dynamic_slice, run=_look_into_dynamic_slice)
concatenate = Primitive("concatenate", _infer_concatenate, _concatenate, _batch, _pull_concatenate)
stack = Primitive(
    "stack", _infer_stack, run=lambda *xs, axis: [concatenate(*[expand_dims(x, axis) for x in xs], dimension=axis)]
)
unstack = calling("unstack", lambda x, axis: [x._replace(shape=x.shape[1:])] * x.shape[axis], look_into_unstack)
iota = Primitive("iota", lambda **k: Aval(k["shape"], k["dtype"]), lambda **k: np.arange(*k["shape"], dtype=k["dtype"]))
reduce_sum = reduction("reduce_sum", np.sum, lambda ct, _, x, *, axes, **__: [_along(ct, axes, x.shape)])
reduce_max, reduce_min = reduction("reduce_max", np.max, _pull_extreme), reduction("reduce_min", np.min, _pull_extreme)
reduce_and, reduce_or = reduction("reduce_and", np.all), reduction("reduce_or", np.any)
dot_general = Primitive("dot_general", _infer_dot, lambda x, y, **_: np.dot(x, y), run=_look_into_dot)
