"""Primitives that move, join, reduce and contract elements: shape rule, NumPy evaluation, batching, transposition.

Follows ``jax/_src/lax/lax.py`` and ``slicing.py``. Under ``vmap`` the batch axis comes in front, so parameters that
name axes or sizes change in one of a few ways. Where JAX batches with a gather, the batch is unrolled here.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stagelight.reference.aval import Aval
from stagelight.reference.operand import Operand
from stagelight.reference.operations.elementwise import flat, summed_to
from stagelight.reference.staging_error import StagingTypeError
from stagelight.reference.trace import Params, Primitive, Pull, bind

type Shape = Sequence[int]
type Batch = Callable[[Any, Primitive, list[Any], Params], list[Any]]


# How a parameter changes when a batch axis comes in front: an axis, axes, axes of the result, sizes, starts, strides.
def _axis(value: int, _: int = 0) -> int:
    return value + 1


def _axes(value: Shape, _: int = 0) -> Shape:
    return tuple(axis + 1 for axis in value)


def _all_axes(value: Shape, _: int = 0) -> Shape:
    return (0, *_axes(value))


def _sizes(value: Shape, size: int) -> Shape:
    return (size, *value)


def _contracted_axes(value: Any, _: int = 0) -> Any:
    (x, y), (batch_x, batch_y) = value
    return ([*_axes(x)], [*_axes(y)]), ([*_all_axes(batch_x)], [*_all_axes(batch_y)])


def shifted(**changes: Callable[[Any, int], Any]) -> Batch:
    """Batching by applying the primitive to whole batches with changed parameters."""

    def batch(trace: Any, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
        changed = {name: change(params[name], trace.size) for name, change in changes.items()}
        return [trace.batched(r) for r in bind(primitive, *map(trace.whole, tracers), **{**params, **changed})]

    return batch


def unrolled(trace: Any, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
    """Batching by applying the primitive to one element after another."""
    wholes = [trace.whole(t) for t in tracers]
    rows = [primitive(*[whole[i] for whole in wholes], **params) for i in range(trace.size)]
    return [trace.batched(Operand.functions.stack(rows))]


def structural(
    name: str,
    shape: Callable[..., Any],
    evaluate: Callable[..., Any],
    batch: Batch | None = None,
    pull: Pull | None = None,
    **options: Any,
) -> Primitive:
    """A row of the table; both functions get the parameters first, then the shapes or the values of the operands."""

    def infer(avals: list[Aval], params: Params) -> list[Aval]:
        return [avals[0]._replace(shape=tuple(map(int, shape(params, *[aval.shape for aval in avals]))))]

    return Primitive(name, infer, lambda *values, **params: evaluate(params, *values), batch, pull, **options)


def of_one(pull: Callable[[Params, Any, Any], Any]) -> Pull:
    """The transpose of a primitive of one operand, from the parameters, the cotangent and the operand."""
    return lambda cotangents, _, operands, params: [pull(params, cotangents[0], operands[0])]


def _slices(params: Params) -> tuple[slice, ...]:
    start, limit = params["start_indices"], params["limit_indices"]
    return tuple(map(slice, start, limit, params["strides"] or (1,) * len(start)))


def _broadcast(params: Params, x: Any) -> Any:
    placed = [1] * len(params["shape"])
    for size, axis in zip(x.shape, params["broadcast_dimensions"], strict=True):
        placed[axis] = size
    return np.broadcast_to(x.reshape(placed), params["shape"])


def _pull_broadcast(params: Params, cotangent: Any, x: Any) -> Any:
    axes = tuple(i for i in range(cotangent.ndim) if i not in params["broadcast_dimensions"])
    return summed_to(cotangent.sum(axes) if axes else cotangent, x.shape) if x.ndim else cotangent.sum()


broadcast_in_dim = structural(
    "broadcast_in_dim",
    lambda k, s: k["shape"],
    _broadcast,
    shifted(shape=_sizes, broadcast_dimensions=_all_axes),
    of_one(_pull_broadcast),
    hidden=lambda k: ("shape", "broadcast_dimensions")[: 1 if k["broadcast_dimensions"] else 2],
)
reshape = structural(
    "reshape",
    lambda k, s: k["new_sizes"],
    lambda k, x: x.reshape(k["new_sizes"]),
    shifted(new_sizes=_sizes),
    of_one(lambda k, ct, x: ct.reshape(x.shape)),
)
squeeze = structural(
    "squeeze",
    lambda k, s: np.delete(s, k["dimensions"]),
    lambda k, x: np.squeeze(x, k["dimensions"]),
    shifted(dimensions=_axes),
    of_one(lambda k, ct, x: ct.reshape(x.shape)),
)
transpose = structural(
    "transpose",
    lambda k, s: [s[i] for i in k["permutation"]],
    lambda k, x: np.transpose(x, k["permutation"]),
    shifted(permutation=_all_axes),
    of_one(lambda k, ct, x: transpose(ct, permutation=tuple(np.argsort(k["permutation"]).tolist()))),
)
rev = structural(
    "rev",
    lambda k, s: s,
    lambda k, x: np.flip(x, k["dimensions"]),
    shifted(dimensions=_axes),
    of_one(lambda k, ct, x: rev(ct, **k)),
)
slice_ = structural(
    "slice",
    lambda k, s: [len(range(w.start, w.stop, w.step)) for w in _slices(k)],
    lambda k, x: x[_slices(k)],
    shifted(start_indices=lambda v, _: (0, *v), limit_indices=_sizes, strides=lambda v, _: v and (1, *v)),
    of_one(lambda k, ct, x: place(ct, *map(np.int32, k["start_indices"]), shape=x.shape, strides=k["strides"])),
)


def _place(params: Params, x: Any, *starts: Any) -> Any:
    room, strides = np.zeros(params["shape"], x.dtype), params["strides"] or (1,) * x.ndim
    spans = [(w - 1) * t + 1 for w, t in zip(x.shape, strides, strict=True)]
    begin = [int(np.clip(s, 0, n - w)) for s, n, w in zip(starts, room.shape, spans, strict=True)]
    room[tuple(slice(b, b + w, t) for b, w, t in zip(begin, spans, strides, strict=True))] = x
    return room


def _dynamic_slice(params: Params, x: Any, *starts: Any) -> Any:
    sizes = params["slice_sizes"]
    begin = [int(np.clip(s, 0, n - w)) for s, n, w in zip(starts, x.shape, sizes, strict=True)]
    return x[tuple(slice(b, b + w) for b, w in zip(begin, sizes, strict=True))]


def _pull_dynamic_slice(cotangents: list[Any], _: list[Any], operands: list[Any], __: Params) -> list[Any]:
    x, *starts = operands
    return [place(cotangents[0], *starts, shape=x.shape, strides=None), *[None] * len(starts)]


# The transpose of slice and dynamic_slice; JAX uses pad and dynamic_update_slice for them.
place = structural("place", lambda k, *_: k["shape"], _place, unrolled)
dynamic_slice = structural(
    "dynamic_slice", lambda k, *_: k["slice_sizes"], _dynamic_slice, unrolled, _pull_dynamic_slice
)


def _concatenated(params: Params, *shapes: Shape) -> Shape:
    axis = params["dimension"]
    if len({(*s[:axis], *s[axis + 1 :]) for s in shapes}) > 1:
        says = "Cannot concatenate arrays with shapes that differ in dimensions other than the one being concatenated"
        raise StagingTypeError(f"{says}: dimension {axis} of shapes {', '.join(map(str, shapes))}.")
    return (*shapes[0][:axis], sum(s[axis] for s in shapes), *shapes[0][axis + 1 :])


def _parts(cotangent: Any, axis: int, sizes: list[int]) -> list[Any]:
    ends = np.cumsum(sizes).tolist()
    return [cotangent[(*[slice(None)] * axis, slice(end - n, end))] for end, n in zip(ends, sizes, strict=True)]


concatenate = structural(
    "concatenate",
    _concatenated,
    lambda k, *xs: np.concatenate(xs, k["dimension"]),
    shifted(dimension=_axis),
    lambda ct, _, xs, k: _parts(ct[0], k["dimension"], [x.shape[k["dimension"]] for x in xs]),
)
stack = structural(
    "stack",
    lambda k, *shapes: np.insert(shapes[0], k["axis"], len(shapes)),
    lambda k, *xs: np.stack(xs, k["axis"]),
    shifted(axis=_axis),
    lambda ct, _, xs, k: [p.reshape(xs[0].shape) for p in _parts(ct[0], k["axis"], [1] * len(xs))],
)
unstack = Primitive(
    "unstack",
    lambda avals, k: (
        [Aval(tuple(np.delete(avals[0].shape, k["axis"]).tolist()), *avals[0][1:])] * avals[0].shape[k["axis"]]
    ),
    lambda x, *, axis: tuple(np.moveaxis(x, axis, 0)),
    shifted(axis=_axis),
    lambda ct, _, x, k: [Operand.functions.stack(ct, k["axis"])],
)
iota = Primitive(
    "iota",
    lambda _, k: [Aval(k["shape"], k["dtype"])],
    lambda *, dtype, shape, **_: np.arange(shape[0], dtype=dtype),
)


def reduction(name: str, evaluate: Callable[..., Any], pull: Pull | None = flat) -> Primitive:
    """A row of the table: what reduces along ``axes``."""

    def infer(avals: list[Aval], params: Params) -> list[Aval]:
        index = params.get("index_dtype")
        shape = tuple(size for axis, size in enumerate(avals[0].shape) if axis not in params["axes"])
        return [Aval(shape, index or avals[0].dtype, avals[0].weak_type and not index)]

    return Primitive(name, infer, lambda x, *, axes, **_: evaluate(x, axes), shifted(axes=_axes), pull)


def _along(x: Any, axes: Shape, shape: Shape) -> Any:
    kept = tuple(axis for axis in range(len(shape)) if axis not in axes)
    return broadcast_in_dim(x, shape=shape, broadcast_dimensions=kept)


def _pull_extreme(cotangents: list[Any], results: list[Any], operands: list[Any], params: Params) -> list[Any]:
    (cotangent,), (y,), (x,), axes = cotangents, results, operands, params["axes"]
    at = (x == _along(y, axes, x.shape)).astype(x.dtype)
    return [at * _along(cotangent / at.sum(axes), axes, x.shape)]


reduce_sum = reduction("reduce_sum", np.sum, of_one(lambda k, ct, x: _along(ct, k["axes"], x.shape)))
reduce_prod = reduction("reduce_prod", np.prod, None)
reduce_max, reduce_min = reduction("reduce_max", np.max, _pull_extreme), reduction("reduce_min", np.min, _pull_extreme)
reduce_and, reduce_or = reduction("reduce_and", np.all), reduction("reduce_or", np.any)
argmax = reduction("argmax", lambda x, axes: np.argmax(x, axes[0]))
argmin = reduction("argmin", lambda x, axes: np.argmin(x, axes[0]))
cumsum = structural(
    "cumsum",
    lambda k, s: s,
    lambda k, x: (
        np.flip(np.cumsum(np.flip(x, k["axis"]), k["axis"]), k["axis"]) if k["reverse"] else np.cumsum(x, k["axis"])
    ),
    shifted(axis=_axis),
    of_one(lambda k, ct, x: cumsum(ct, axis=k["axis"], reverse=not k["reverse"])),
)


def _letters(left: int, right: int, params: Params) -> tuple[list[int], list[int], list[int]]:
    """Numbers for the axes of both operands and of the result, as the letters of ``einsum``."""
    (left_sum, right_sum), (left_batch, right_batch) = params["dimension_numbers"]
    a, b = list(range(left)), list(range(left, left + right))
    for i, j in zip((*left_sum, *left_batch), (*right_sum, *right_batch), strict=True):
        b[j] = a[i]
    return a, b, [a[i] for i in left_batch] + [n for n in a + b if (n in a) != (n in b)]


def _infer_dot(avals: list[Aval], params: Params) -> list[Aval]:
    x, y = avals
    a, b, out = _letters(len(x.shape), len(y.shape), params)
    sizes = dict(zip(a + b, x.shape + y.shape, strict=True))
    if [sizes[n] for n in a] != list(x.shape):
        says = "dot_general requires contracting dimensions to have the same shape"
        raise StagingTypeError(f"{says}, got {x.shape} and {y.shape}.")
    return [Aval(tuple(sizes[n] for n in out), params["preferred_element_type"], x.weak_type and y.weak_type)]


def _dot(x: Any, y: Any, **params: Any) -> Any:
    a, b, out = _letters(x.ndim, y.ndim, params)
    dtype = params["preferred_element_type"]
    return np.einsum(x.astype(dtype), a, y.astype(dtype), b, out)


def _contracted(x: Any, xs: list[int], y: Any, ys: list[int], out: list[int]) -> Any:
    """The contraction of axes named by letters, with the axes of the result in the order of ``out``."""
    summed, batched = ([n for n in xs if n in ys and (n in out) == kept] for kept in (False, True))
    numbers = tuple(tuple([names.index(n) for n in which] for names in (xs, ys)) for which in (summed, batched))
    result = dot_general(x, y.astype(x.dtype), dimension_numbers=numbers, preferred_element_type=x.dtype)
    made = batched + [n for n in xs + ys if (n in xs) != (n in ys)]
    return Operand.functions.transpose(result, tuple(made.index(n) for n in out))


def _pull_dot(cotangents: list[Any], _: list[Any], operands: list[Any], params: Params) -> list[Any]:
    (cotangent,), (x, y) = cotangents, operands
    a, b, out = _letters(x.ndim, y.ndim, params)
    left, right = _contracted(cotangent, out, y, b, a), _contracted(cotangent, out, x, a, b)
    return [left.astype(x.dtype), right.astype(y.dtype)]


dot_general = Primitive("dot_general", _infer_dot, _dot, shifted(dimension_numbers=_contracted_axes), _pull_dot)
