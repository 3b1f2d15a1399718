"""Gradients in reverse mode: the program runs once and is written down, then each equation's linear map is transposed.

Follows the derivative and transpose rules that stand beside the primitives in ``jax/_src/lax``. JAX linearizes first
and transposes the linear program; here both are one rule for each primitive. What has no rule is refused by name.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from stagelight.reference import control_flow as c
from stagelight.reference import elementwise as e
from stagelight.reference import primitive as p
from stagelight.reference.aval import Aval
from stagelight.reference.elementwise import apply_one, broadcast_to, convert
from stagelight.reference.jaxpr import Jaxpr
from stagelight.reference.operand import Array, Operand, Tracer
from stagelight.reference.rearrangement import reshape, stack, take_index, transpose
from stagelight.reference.staged_call import jit
from stagelight.reference.staging_error import StagingValueError, refuse
from stagelight.reference.trace import Trace, bind, evaluate, operand_of, own, running, stage

type Pull = Callable[[list[Any], list[Any], list[Any], p.Params], list[Any]]

# The partial derivative with respect to each operand, from the result and the operands.
_PARTIALS: dict[str, tuple[Callable[..., Any], ...]] = {
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
_FLAT = {"sign", "floor", "stop_gradient", "is_finite", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not"} | {
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


_PULLS: dict[str, Pull] = {
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
    "cond": lambda ct, _, x, params: _pull_cond(ct, x, params),
    "scan": lambda ct, _, x, params: _pull_scan(ct, x, params),
}


def _pull_elementwise(rules: tuple[Callable[..., Any], ...]) -> Pull:
    def pull(cotangents: list[Any], results: list[Any], primals: list[Any], params: p.Params) -> list[Any]:
        (cotangent,) = cotangents
        factors = [convert(rule(results[0], *primals, **params), cotangent.dtype) for rule in rules]
        return [_summed(e.multiply(cotangent, f), x.shape) for f, x in zip(factors, primals, strict=True)]

    return pull


class GradientTrace(Trace):
    """Runs a program and writes down how each step is transposed."""

    label = "GradTracer"

    def __init__(self) -> None:
        super().__init__()
        self.tape: list[tuple[list[Tracer], list[Tracer], Callable[[list[Any]], list[Any]]]] = []
        self.active: set[int] = set()

    def lift(self, operand: Operand) -> Tracer:
        """A value without a gradient."""
        return Tracer(self, operand.aval, operand)

    def argument(self, value: Operand) -> Tracer:
        """A tracer with a gradient."""
        tracer = self.lift(value)
        self.active.add(id(tracer))
        return tracer

    def concrete(self, tracer: Tracer) -> Array | None:
        """The value itself, so that Python may branch on it."""
        return tracer.payload.concrete() if isinstance(tracer.payload, Tracer) else tracer.payload

    def process(self, primitive: p.Primitive, tracers: list[Any], params: p.Params) -> list[Any]:
        """Apply a primitive and write down its transpose."""
        is_active = any(id(t) in self.active for t in tracers)
        if is_active and primitive is jit:
            return [own(self, result) for result in evaluate(params["jaxpr"], *tracers)]
        primals = [t.payload for t in tracers]
        results = bind(primitive, *primals, **params)
        outputs = [self.lift(result) for result in results]
        if is_active and primitive.name not in _FLAT and any(t.aval.is_inexact for t in outputs):
            pull = self._pull_of(primitive)
            self.tape.append((tracers, outputs, lambda cotangents: pull(cotangents, results, primals, params)))
            self.active.update(id(t) for t in outputs if t.aval.is_inexact)
        return outputs

    def _pull_of(self, primitive: p.Primitive) -> Pull:
        if primitive is c.while_primitive:
            raise StagingValueError(
                "Reverse-mode differentiation does not work for lax.while_loop or lax.fori_loop with dynamic start/stop"
                " values. Try using lax.scan, or using fori_loop with static start/stop."
            )
        if primitive.name in _PARTIALS:
            return _pull_elementwise(_PARTIALS[primitive.name])
        if primitive.name not in _PULLS:
            raise refuse(f"the derivative of {primitive.name!r}")
        return _PULLS[primitive.name]

    def transpose(self, outputs: list[Any], cotangents: list[Any], inputs: list[Tracer]) -> list[Any]:
        """The cotangents of the inputs, from those of the outputs."""
        known: dict[int, Any] = {}

        def gain(tracer: Any, cotangent: Any) -> None:
            if cotangent is not None and id(tracer) in self.active:
                before = known.get(id(tracer))
                known[id(tracer)] = cotangent if before is None else e.add(before, cotangent)

        for output, cotangent in zip(outputs, cotangents, strict=True):
            gain(output, cotangent)
        for given, results, pull in reversed(self.tape):
            if any(id(result) in known for result in results):
                incoming = [known.get(id(result)) for result in results]
                filled = [zeros_of(r.aval) if ct is None else ct for r, ct in zip(results, incoming, strict=True)]
                for tracer, cotangent in zip(given, pull(filled), strict=True):
                    gain(tracer, cotangent)
        return [known.get(id(tracer), zeros_of(tracer.aval)) for tracer in inputs]


def zeros_of(aval: Aval) -> Any:
    """Zeros of an aval."""
    return broadcast_to(np.zeros((), aval.dtype)[()], aval.shape)


def pull_back(
    function: Callable[..., list[Any]], primals: list[Any]
) -> tuple[list[Any], Callable[[list[Any]], list[Any]]]:
    """Run a function of flat operands; also give the transpose of its derivative there."""
    trace = GradientTrace()
    with running(trace):
        inputs = [trace.argument(x) if x.aval.is_inexact else trace.lift(x) for x in map(operand_of, primals)]
        outputs = [own(trace, operand_of(result)) for result in function(*inputs)]
    return [t.payload for t in outputs], lambda cotangents: trace.transpose(outputs, cotangents, inputs)


def _pulled_jaxpr(jaxpr: Jaxpr, indices: list[int]) -> tuple[Jaxpr, list[Aval]]:
    """The program from operands and cotangents of outputs to cotangents of the operands at ``indices``."""
    avals, n = [*jaxpr.in_avals, *jaxpr.out_avals], len(jaxpr.inputs)

    def pulled(*values: Any) -> list[Any]:
        _, pull = pull_back(lambda *xs: evaluate(jaxpr, *xs), list(values[:n]))
        found = pull(list(values[n:]))
        return [found[i] for i in indices]

    return stage(pulled, avals, "transpose"), [avals[i] for i in indices]


def _inexact_inputs(jaxpr: Jaxpr) -> list[int]:
    return [i for i, aval in enumerate(jaxpr.in_avals) if aval.is_inexact]


def _pull_cond(cotangents: list[Any], primals: list[Any], params: p.Params) -> list[Any]:
    index, *operands = primals
    wanted = _inexact_inputs(params["branches"][0])
    branches = tuple(_pulled_jaxpr(branch, wanted)[0] for branch in params["branches"])
    found = dict(zip(wanted, bind(c.cond_primitive, index, *operands, *cotangents, branches=branches), strict=True))
    return [None, *(found.get(i) for i in range(len(operands)))]


def _pull_scan(cotangents: list[Any], primals: list[Any], params: p.Params) -> list[Any]:
    """Run forward again to keep each carry, then the transposed body backward."""
    jaxpr, n, m = params["jaxpr"], params["num_consts"], params["num_carry"]
    constants, columns = primals[:n], primals[n + m :]
    kept = Jaxpr([], [], jaxpr.inputs, jaxpr.equations, jaxpr.outputs[:m] + jaxpr.inputs[n : n + m])
    carries = bind(c.scan_primitive, *primals, **{**params, "jaxpr": kept})[m:]
    wanted = _inexact_inputs(jaxpr)
    fixed, moving = [i for i in wanted if i < n], [i for i in wanted if n <= i < n + m]
    rows = [i for i in wanted if i >= n + m]

    def body(*values: Any) -> list[Any]:
        ends = np.cumsum([n, len(fixed), m, m, len(columns)]).tolist()
        given, totals, incoming, state, row = (values[i:j] for i, j in zip([0, *ends], ends, strict=False))
        out = values[ends[-1] :]
        _, pull = pull_back(lambda *xs: evaluate(jaxpr, *xs), [*given, *state, *row])
        found = pull([*incoming, *out])
        carried = [found[n + i] if n + i in moving else incoming[i] for i in range(m)]
        return [*(e.add(t, found[i]) for t, i in zip(totals, fixed, strict=True)), *carried, *(found[i] for i in rows)]

    totals = [zeros_of(constants[i].aval) for i in fixed]
    operands = [*constants, *totals, *cotangents[:m], *carries, *columns, *cotangents[m:]]
    head = n + len(fixed) + m
    avals = [x.aval.strong if i < head else x.aval.strong._replace(shape=x.shape[1:]) for i, x in enumerate(operands)]
    backward = {**params, "jaxpr": stage(body, avals, "transpose"), "reverse": not params["reverse"]}
    results = bind(c.scan_primitive, *operands, **{**backward, "num_carry": len(fixed) + m})
    found = dict(zip(fixed, results, strict=False))
    found.update((i, results[len(fixed) + i - n]) for i in moving)
    found.update(zip(rows, results[len(fixed) + m :], strict=True))
    return [found.get(i) for i in range(len(primals))]
