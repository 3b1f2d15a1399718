"""Primitives: the operations a jaxpr is made of, with their NumPy evaluation and the avals they give.

Follows the primitives of ``jax/_src/lax/lax.py`` and ``slicing.py``: names, parameters and shape rules.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from stagelight.reference.aval import Aval
from stagelight.reference.staging_error import StagingTypeError

type Params = dict[str, Any]
type Infer = Callable[[list[Aval], Params], list[Aval]]


class Primitive:
    """An operation; either ``evaluate`` computes it with NumPy or ``run`` runs the jaxprs in its parameters."""

    __slots__ = ("evaluate", "hidden", "infer", "name", "run")

    def __init__(
        self,
        name: str,
        infer: Infer,
        evaluate: Callable[..., Any] = lambda *_: None,
        *,
        run: Callable[[list[Any], Params], list[Any]] | None = None,
        hidden: tuple[str, ...] = (),
    ) -> None:
        self.name, self.infer, self.evaluate, self.run, self.hidden = name, infer, evaluate, run, hidden

    def shown(self, params: Params) -> list[tuple[str, Any]]:
        """The parameters that JAX prints, in its order."""
        absent = [*self.hidden, *(name for name in ("broadcast_dimensions",) if params.get(name) == ())]
        shown = [(name, value) for name, value in params.items() if name not in absent]
        return sorted(shown, key=lambda pair: (pair[0] != "name", pair[0]))


def broadcast_shape(name: str, shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape of operands, or JAX's error naming them."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        told = ", ".join(map(str, shapes))
        raise StagingTypeError(f"{name} got incompatible shapes for broadcasting: {told}.") from None


def _elementwise(name: str, evaluate: Callable[..., Any], dtype: str | None = None) -> Primitive:
    def infer(avals: list[Aval], _: Params) -> list[Aval]:
        shape = broadcast_shape(name, [aval.shape for aval in avals])
        weak = all(aval.weak_type for aval in avals)
        return [Aval(shape, np.dtype(dtype) if dtype else avals[0].dtype, weak)]

    return Primitive(name, infer, evaluate)


def _structural(
    name: str, shape: Callable[..., tuple[int, ...]], evaluate: Callable[..., Any], **options: Any
) -> Primitive:
    """A primitive that moves elements and keeps their dtype; ``shape`` gets the operands' shapes."""

    def infer(avals: list[Aval], params: Params) -> list[Aval]:
        found = tuple(int(size) for size in shape(*[aval.shape for aval in avals], **params))
        return [Aval(found, avals[0].dtype, all(aval.weak_type for aval in avals))]

    return Primitive(name, infer, evaluate, **options)


def _reduction(name: str, evaluate: Callable[..., Any], dtype: np.dtype[Any] | None = None) -> Primitive:
    def infer(avals: list[Aval], params: Params) -> list[Aval]:
        (aval,) = avals
        shape = tuple(size for axis, size in enumerate(aval.shape) if axis not in params["axes"])
        index = params.get("index_dtype")
        return [Aval(shape, np.dtype(index) if index else aval.dtype, aval.weak_type and not index)]

    return Primitive(name, infer, lambda x, *, axes, **_: evaluate(x, axis=axes))


def _divide(x: Any, y: Any) -> Any:
    return np.divide(x, y) if x.dtype.kind == "f" else np.where(y == 0, -1, np.trunc(np.true_divide(x, y)))


def _converted(x: Any, *, new_dtype: Any, **_: Any) -> Any:
    if x.dtype.kind == "f" and np.dtype(new_dtype).kind in "iu":  # XLA saturates and makes zero of nan
        limits = np.iinfo(new_dtype)
        inside = np.clip(np.nan_to_num(x.astype(np.float64)), limits.min, limits.max)
        return np.where(inside >= limits.max, limits.max, inside.astype(new_dtype))
    return x.astype(new_dtype)


neg = _elementwise("neg", np.negative)
abs_ = _elementwise("abs", np.abs)
sign = _elementwise("sign", np.sign)
exp = _elementwise("exp", np.exp)
log = _elementwise("log", np.log)
log1p = _elementwise("log1p", np.log1p)
expm1 = _elementwise("expm1", np.expm1)
sin = _elementwise("sin", np.sin)
cos = _elementwise("cos", np.cos)
tanh = _elementwise("tanh", np.tanh)
sqrt = _elementwise("sqrt", np.sqrt)
square = _elementwise("square", np.square)
floor = _elementwise("floor", np.floor)
not_ = _elementwise("not", np.invert)
is_finite = _elementwise("is_finite", np.isfinite, "bool")
stop_gradient = _elementwise("stop_gradient", np.array)
copy = _elementwise("copy", np.array)
integer_pow = _elementwise("integer_pow", lambda x, *, y: np.power(x, y) if y >= 0 else 1 / np.power(x, -y))
add = _elementwise("add", np.add)
sub = _elementwise("sub", np.subtract)
mul = _elementwise("mul", np.multiply)
div = _elementwise("div", _divide)
rem = _elementwise("rem", lambda x, y: np.where(y == 0, x if x.dtype.kind != "f" else np.nan, np.fmod(x, y)))
pow_ = _elementwise("pow", np.power)
max_ = _elementwise("max", np.maximum)
min_ = _elementwise("min", np.minimum)
and_ = _elementwise("and", np.bitwise_and)
or_ = _elementwise("or", np.bitwise_or)
eq = _elementwise("eq", np.equal, "bool")
ne = _elementwise("ne", np.not_equal, "bool")
lt = _elementwise("lt", np.less, "bool")
le = _elementwise("le", np.less_equal, "bool")
gt = _elementwise("gt", np.greater, "bool")
ge = _elementwise("ge", np.greater_equal, "bool")
clamp = _elementwise("clamp", lambda low, x, high: np.clip(x, low, high))

select_n = Primitive(
    "select_n",
    lambda avals, _: [avals[1]._replace(weak_type=all(aval.weak_type for aval in avals[1:]))],
    lambda which, *cases: np.select([which == i for i in range(len(cases))], cases),
)
convert_element_type = Primitive(
    "convert_element_type",
    lambda avals, p: [Aval(avals[0].shape, np.dtype(p["new_dtype"]), p["weak_type"])],
    _converted,
)

reduce_sum = _reduction("reduce_sum", np.sum)
reduce_prod = _reduction("reduce_prod", np.prod)
reduce_max = _reduction("reduce_max", np.max)
reduce_min = _reduction("reduce_min", np.min)
reduce_and = _reduction("reduce_and", np.all)
reduce_or = _reduction("reduce_or", np.any)
argmax = _reduction("argmax", lambda x, axis: np.argmax(x, axis[0]))
argmin = _reduction("argmin", lambda x, axis: np.argmin(x, axis[0]))
cumsum = _structural(
    "cumsum",
    lambda shape, **_: shape,
    lambda x, *, axis, reverse: np.flip(np.cumsum(np.flip(x, axis), axis), axis) if reverse else np.cumsum(x, axis),
)


def _broadcast_in_dim(x: Any, *, shape: tuple[int, ...], broadcast_dimensions: tuple[int, ...]) -> Any:
    placed = [1] * len(shape)
    for size, axis in zip(x.shape, broadcast_dimensions, strict=True):
        placed[axis] = size
    return np.broadcast_to(x.reshape(placed), shape)


def _concatenated(*shapes: tuple[int, ...], dimension: int) -> tuple[int, ...]:
    others = {(*s[:dimension], *s[dimension + 1 :]) for s in shapes}
    if len(others) > 1:
        raise StagingTypeError(
            "Cannot concatenate arrays with shapes that differ in dimensions other than the one being concatenated: "
            f"concatenating along dimension {dimension} for shapes {', '.join(map(str, shapes))}."
        )
    return (*shapes[0][:dimension], sum(s[dimension] for s in shapes), *shapes[0][dimension + 1 :])


def _slices(start: tuple[int, ...], limit: tuple[int, ...], strides: tuple[int, ...] | None) -> tuple[slice, ...]:
    return tuple(map(slice, start, limit, strides or (1,) * len(start)))


def _dynamic_slice(x: Any, *starts: Any, slice_sizes: tuple[int, ...]) -> Any:
    begin = [int(np.clip(s, 0, n - w)) for s, n, w in zip(starts, x.shape, slice_sizes, strict=True)]
    return x[tuple(slice(b, b + w) for b, w in zip(begin, slice_sizes, strict=True))]


def _place(x: Any, *starts: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    room = np.zeros(shape, x.dtype)
    begin = [
        int(np.clip(s, 0, n - (w - 1) * t - 1)) for s, n, w, t in zip(starts, shape, x.shape, strides, strict=True)
    ]
    room[tuple(slice(b, b + (w - 1) * t + 1, t) for b, w, t in zip(begin, x.shape, strides, strict=True))] = x
    return room


broadcast_in_dim = _structural(
    "broadcast_in_dim", lambda _, *, shape, **__: shape, _broadcast_in_dim, hidden=("shape",)
)
reshape = _structural(
    "reshape", lambda _, *, new_sizes, **__: new_sizes, lambda x, *, new_sizes, **_: x.reshape(new_sizes)
)
squeeze = _structural(
    "squeeze",
    lambda shape, *, dimensions: tuple(n for i, n in enumerate(shape) if i not in dimensions),
    lambda x, *, dimensions: np.squeeze(x, dimensions),
)
transpose = _structural(
    "transpose",
    lambda shape, *, permutation: tuple(shape[i] for i in permutation),
    lambda x, *, permutation: np.transpose(x, permutation),
)
rev = _structural("rev", lambda shape, **_: shape, lambda x, *, dimensions: np.flip(x, dimensions))
concatenate = _structural("concatenate", _concatenated, lambda *xs, dimension: np.concatenate(xs, dimension))
stack = _structural(
    "stack",
    lambda *shapes, axis: (*shapes[0][:axis], len(shapes), *shapes[0][axis:]),
    lambda *xs, axis: np.stack(xs, axis),
)
unstack = Primitive(
    "unstack",
    lambda avals, p: [avals[0]._replace(shape=tuple(np.delete(avals[0].shape, p["axis"])))] * avals[0].shape[p["axis"]],
    lambda x, *, axis: tuple(np.moveaxis(x, axis, 0)),
)
slice_ = _structural(
    "slice",
    lambda _, *, start_indices, limit_indices, strides: tuple(
        len(range(s.start, s.stop, s.step)) for s in _slices(start_indices, limit_indices, strides)
    ),
    lambda x, *, start_indices, limit_indices, strides: x[_slices(start_indices, limit_indices, strides)],
)
dynamic_slice = Primitive(
    "dynamic_slice", lambda avals, p: [avals[0]._replace(shape=tuple(p["slice_sizes"]))], _dynamic_slice
)
# The transposes of slice and dynamic_slice; JAX uses pad and dynamic_update_slice for them.
place = Primitive("place", lambda avals, p: [avals[0]._replace(shape=p["shape"])], _place)
iota = Primitive(
    "iota",
    lambda _, p: [Aval(p["shape"], np.dtype(p["dtype"]))],
    lambda *, dtype, shape, dimension, **_: _broadcast_in_dim(
        np.arange(shape[dimension], dtype=dtype), shape=shape, broadcast_dimensions=(dimension,)
    ),
)

type DimensionNumbers = tuple[tuple[list[int], list[int]], tuple[list[int], list[int]]]


def _letters_of_dot(left: int, right: int, numbers: DimensionNumbers) -> tuple[list[int], list[int], list[int]]:
    (left_sum, right_sum), (left_batch, right_batch) = numbers
    a, b = list(range(left)), list(range(left, left + right))
    for i, j in zip((*left_sum, *left_batch), (*right_sum, *right_batch), strict=True):
        b[j] = a[i]
    free_a = [a[i] for i in range(left) if i not in (*left_sum, *left_batch)]
    free_b = [b[j] for j in range(right) if j not in (*right_sum, *right_batch)]
    return a, b, [a[i] for i in left_batch] + free_a + free_b


def _dot_infer(avals: list[Aval], params: Params) -> list[Aval]:
    x, y = avals
    numbers = params["dimension_numbers"]
    if [x.shape[i] for i in numbers[0][0]] != [y.shape[j] for j in numbers[0][1]]:
        raise StagingTypeError(
            f"dot_general requires contracting dimensions to have the same shape, got {x.shape} and {y.shape}."
        )
    a, b, out = _letters_of_dot(len(x.shape), len(y.shape), numbers)
    sizes = dict(zip(a + b, x.shape + y.shape, strict=True))
    dtype = np.dtype(params["preferred_element_type"])
    return [Aval(tuple(sizes[i] for i in out), dtype, x.weak_type and y.weak_type)]


dot_general = Primitive(
    "dot_general",
    _dot_infer,
    lambda x, y, *, dimension_numbers, preferred_element_type: np.einsum(
        x.astype(preferred_element_type),
        (letters := _letters_of_dot(x.ndim, y.ndim, dimension_numbers))[0],
        y.astype(preferred_element_type),
        letters[1],
        letters[2],
    ),
)
