"""How the linear map of each primitive is transposed, for gradients in reverse mode.

Follows the derivative and transpose rules that stand beside the primitives in ``jax/_src/lax``; here both are one rule.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from stagelight.reference import elementwise as e
from stagelight.reference import primitive as p
from stagelight.reference.elementwise import apply_one, convert
from stagelight.reference.rearrangement import reshape, stack, take_index, transpose

type Pull = Callable[[list[Any], list[Any], list[Any], p.Params], list[Any]]

# The partial derivative with respect to each operand, from the result and the operands.
PARTIALS: dict[str, tuple[Callable[..., Any], ...]] = {
    "neg": (lambda _, x: -1.0,),
    "abs": (lambda _, x: e.sign(x),),
    "exp": (lambda y, x: y,),
    "log": (lambda _, x: 1.0 / x,),
    "log1p": (lambda _, x: 1.0 / (1.0 + x),),
    "expm1": (lambda y, x: y + 1.0,),
    "sin": (lambda _, x: e.cos(x),),
    "cos": (lambda _, x: -e.sin(x),),
    "tanh": (lambda y, x: 1.0 - y * y,),
    "sqrt": (lambda y, x: 0.5 / y,),
    "square": (lambda _, x: 2.0 * x,),
    "copy": (lambda _, x: 1.0,),
    "integer_pow": (lambda _, x, *, y: float(y) * e.power(x, y - 1) if y else x * 0.0,),
    "add": (lambda _, x, y: 1.0, lambda _, x, y: 1.0),
    "sub": (lambda _, x, y: 1.0, lambda _, x, y: -1.0),
    "mul": (lambda _, x, y: y, lambda _, x, y: x),
    "div": (lambda _, x, y: 1.0 / y, lambda z, x, y: -z / y),
    "rem": (lambda _, x, y: 1.0, lambda _, x, y: -e.sign(x / y) * e.floor(e.abs_(x / y))),
    "pow": (lambda _, x, y: y * x ** (y - 1), lambda z, x, y: z * e.log(x)),
    "max": (lambda _, x, y: _share(e.greater(x, y), x, y), lambda _, x, y: _share(e.greater(y, x), x, y)),
    "min": (lambda _, x, y: _share(e.less(x, y), x, y), lambda _, x, y: _share(e.less(y, x), x, y)),
}
FLAT = {"sign", "floor", "stop_gradient", "is_finite", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not"} | {
    *("argmax", "argmin", "iota", "reduce_and", "reduce_or"),
}


def _share(wins: Any, x: Any, y: Any) -> Any:
    """1 where one operand wins, a half where both are equal."""
    return convert(wins, x.dtype) + 0.5 * convert(e.equal(x, y), x.dtype)


def _along(x: Any, axes: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    kept = tuple(axis for axis in range(len(shape)) if axis not in axes)
    return apply_one(p.broadcast_in_dim, x, shape=shape, broadcast_dimensions=kept)


def _summed(x: Any, shape: tuple[int, ...]) -> Any:
    """The transpose of broadcasting from a shape of the same rank, or of a scalar."""
    axes = tuple(i for i in range(x.ndim) if not shape or (shape[i] == 1 and x.shape[i] != 1))
    return reshape(apply_one(p.reduce_sum, x, axes=axes, out_sharding=None) if axes else x, shape)


def _pull_broadcast(cotangent: Any, x: Any, params: p.Params) -> Any:
    axes = tuple(i for i in range(cotangent.ndim) if i not in params["broadcast_dimensions"])
    total = apply_one(p.reduce_sum, cotangent, axes=axes, out_sharding=None) if axes else cotangent
    return _summed(total, x.shape) if x.ndim else total


def _pull_extreme(cotangent: Any, y: Any, x: Any, params: p.Params) -> Any:
    axes = params["axes"]
    at = convert(e.equal(x, _along(y, axes, x.shape)), x.dtype)
    share = e.divide(cotangent, apply_one(p.reduce_sum, at, axes=axes, out_sharding=None))
    return at * _along(share, axes, x.shape)


def _part(x: Any, axis: int, start: int, stop: int) -> Any:
    return take_index(x, (*[slice(None)] * axis, slice(start, stop)))


def _pull_concatenate(cotangents: list[Any], _: list[Any], primals: list[Any], params: p.Params) -> list[Any]:
    axis = params["dimension"]
    ends = np.cumsum([x.shape[axis] for x in primals]).tolist()
    return [_part(cotangents[0], axis, end - x.shape[axis], end) for x, end in zip(primals, ends, strict=True)]


def _pull_stack(cotangents: list[Any], _: list[Any], primals: list[Any], params: p.Params) -> list[Any]:
    axis = params["axis"]
    return [reshape(_part(cotangents[0], axis, i, i + 1), x.shape) for i, x in enumerate(primals)]


def _pull_slice(cotangent: Any, x: Any, params: p.Params) -> Any:
    strides = params["strides"] or (1,) * x.ndim
    starts = [np.int32(start) for start in params["start_indices"]]
    return apply_one(p.place, cotangent, *starts, shape=x.shape, strides=strides)


def _pull_dot(cotangents: list[Any], _: list[Any], primals: list[Any], params: p.Params) -> list[Any]:
    (sums, batches), (x, y) = params["dimension_numbers"], primals
    return [
        _pull_side(cotangents[0], x, y, sums, batches, first=True),
        _pull_side(cotangents[0], y, x, sums[::-1], batches[::-1], first=False),
    ]


def _pull_side(cotangent: Any, x: Any, y: Any, sums: Any, batches: Any, *, first: bool) -> Any:
    free_x = [i for i in range(x.ndim) if i not in (*sums[0], *batches[0])]
    free_y = [i for i in range(y.ndim) if i not in (*sums[1], *batches[1])]
    n, width = len(batches[0]), len(free_x)
    start = n + width if first else n
    numbers = ((list(range(start, start + len(free_y))), free_y), (list(range(n)), list(batches[1])))
    dtype = cotangent.dtype
    y = convert(y, dtype)
    result = apply_one(p.dot_general, cotangent, y, dimension_numbers=numbers, preferred_element_type=dtype)
    order = [*batches[0], *free_x, *(i for _, i in sorted(zip(sums[1], sums[0], strict=True)))]
    return convert(transpose(result, tuple(order.index(i) for i in range(x.ndim))), x.dtype)


PULLS: dict[str, Pull] = {
    "convert_element_type": lambda ct, _, x, params: [convert(ct[0], x[0].dtype)],
    "reduce_sum": lambda ct, _, x, params: [_along(ct[0], params["axes"], x[0].shape)],
    "reduce_max": lambda ct, y, x, params: [_pull_extreme(ct[0], y[0], x[0], params)],
    "reduce_min": lambda ct, y, x, params: [_pull_extreme(ct[0], y[0], x[0], params)],
    "cumsum": lambda ct, _, x, params: [apply_one(p.cumsum, ct[0], axis=params["axis"], reverse=not params["reverse"])],
    "broadcast_in_dim": lambda ct, _, x, params: [_pull_broadcast(ct[0], x[0], params)],
    "reshape": lambda ct, _, x, params: [reshape(ct[0], x[0].shape)],
    "squeeze": lambda ct, _, x, params: [reshape(ct[0], x[0].shape)],
    "transpose": lambda ct, _, x, params: [transpose(ct[0], tuple(np.argsort(params["permutation"]).tolist()))],
    "rev": lambda ct, _, x, params: [apply_one(p.rev, ct[0], **params)],
    "slice": lambda ct, _, x, params: [_pull_slice(ct[0], x[0], params)],
    "dynamic_slice": lambda ct, _, x, params: [
        apply_one(p.place, ct[0], *x[1:], shape=x[0].shape, strides=(1,) * x[0].ndim),
        *[None] * (len(x) - 1),
    ],
    "select_n": lambda ct, _, x, params: [
        None,
        *(e.where(convert(x[0], np.int32) == i, ct[0], 0.0) for i in range(len(x) - 1)),
    ],
    "unstack": lambda ct, _, x, params: [stack(ct, params["axis"])],
    "concatenate": _pull_concatenate,
    "stack": _pull_stack,
    "dot_general": _pull_dot,
}


def pull_elementwise(rules: tuple[Callable[..., Any], ...]) -> Pull:
    """The transpose of an elementwise primitive, from its partial derivatives."""

    def pull(cotangents: list[Any], results: list[Any], primals: list[Any], params: p.Params) -> list[Any]:
        (cotangent,) = cotangents
        factors = [convert(rule(results[0], *primals, **params), cotangent.dtype) for rule in rules]
        return [_summed(e.multiply(cotangent, f), x.shape) for f, x in zip(factors, primals, strict=True)]

    return pull
