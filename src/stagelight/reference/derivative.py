"""Gradients in reverse mode: the program runs once and is written down, then each step is transposed.

JAX linearizes first and transposes the linear program (``jax/_src/interpreters/ad.py``); the values are the same.
What has no rule is refused by name.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from stagelight.reference import control_flow as c
from stagelight.reference import elementwise as e
from stagelight.reference import primitive as p
from stagelight.reference.aval import Aval
from stagelight.reference.elementwise import broadcast_to
from stagelight.reference.jaxpr import Jaxpr
from stagelight.reference.operand import Array, Operand, Tracer
from stagelight.reference.staged_call import jit
from stagelight.reference.staging_error import StagingValueError, refuse
from stagelight.reference.trace import Trace, bind, evaluate, operand_of, own, running, stage
from stagelight.reference.transposition import FLAT, PARTIALS, PULLS, Pull, pull_elementwise


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
        if is_active and primitive.name not in FLAT and any(t.aval.is_inexact for t in outputs):
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
        if primitive.name in PARTIALS:
            return pull_elementwise(PARTIALS[primitive.name])
        pull = _STAGED_PULLS.get(primitive.name) or PULLS.get(primitive.name)
        if pull is None:
            raise refuse(f"the derivative of {primitive.name!r}")
        return pull

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


_STAGED_PULLS: dict[str, Pull] = {
    "cond": lambda cotangents, _, primals, params: _pull_cond(cotangents, primals, params),
    "scan": lambda cotangents, _, primals, params: _pull_scan(cotangents, primals, params),
}
