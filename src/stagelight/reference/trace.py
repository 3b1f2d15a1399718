"""Primitives, and what happens to one that is applied while a transformation runs.

Without a trace a primitive is evaluated with NumPy. Under a staging trace it becomes an equation, operands or not.
Levels decide between nested traces, as in "Autodidax" of the JAX documentation; ``core.ensure_no_leaks`` and
``DynamicJaxprTrace`` (``jax/_src/interpreters/partial_eval.py``) are followed for leaks, constants and literals.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from stagelight.reference.aval import Aval, aval_of
from stagelight.reference.jaxpr import Atom, Equation, Jaxpr, Literal, Variable
from stagelight.reference.operand import Array, Operand, Tracer
from stagelight.reference.staging_error import StagingTypeError, UnexpectedTracerError
from stagelight.reference.trace_context import holding

type Params = dict[str, Any]
type Pull = Callable[[list[Any], list[Any], list[Any], Params], Sequence[Any]]

_active: ContextVar[tuple["Trace", ...]] = ContextVar("active", default=())


@dataclass(eq=False, slots=True)
class Primitive:
    """An operation a jaxpr is made of: its rules, one for each thing that can be done with it.

    ``infer`` gives the avals of the results. ``evaluate`` computes them with NumPy, or ``run`` runs the jaxprs in the
    parameters. ``batch`` applies it under a batching trace. ``pull`` gives the cotangents of the operands from those of
    the results, the results and the operands. ``hidden`` names the parameters that are not printed.
    """

    name: str
    infer: Callable[[list[Aval], Params], Sequence[Aval]]
    evaluate: Callable[..., Any] | None = None
    batch: Callable[[Any, "Primitive", list[Any], Params], list[Any]] | None = None
    pull: Pull | None = None
    run: Callable[[list[Any], Params], list[Any]] | None = None
    hidden: Callable[[Params], Sequence[str]] = lambda _: ()

    def __call__(self, *values: Any, **params: Any) -> Any:
        """Apply it, and give its only result."""
        return bind(self, *values, **params)[0]

    def computed(self, operands: list[Any], params: Params) -> list[Any]:
        """Its results on values."""
        if self.evaluate is None:
            assert self.run is not None
            return self.run(operands, params)
        avals = self.infer([operand.aval for operand in operands], params)
        with np.errstate(all="ignore"):
            found = self.evaluate(*[operand.value for operand in operands], **params)
        results = zip(found if isinstance(found, tuple) else (found,), avals, strict=True)
        return [Array(np.asarray(r).astype(a.dtype, copy=False), weak_type=a.weak_type) for r, a in results]

    def shown(self, params: Params) -> list[tuple[str, Any]]:
        """The parameters that JAX prints, in its order."""
        shown = [(name, value) for name, value in params.items() if name not in self.hidden(params)]
        return sorted(shown, key=lambda pair: (pair[0] != "name", pair[0]))


class Trace:
    """A transformation that is running."""

    label = "Tracer"

    def __init__(self) -> None:
        self.level = 1 + max((trace.level for trace in _active.get()), default=0)

    def lift(self, operand: Operand) -> Any:
        """Bring an operand of a lower level into this trace."""
        raise NotImplementedError

    def process(self, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
        """Apply a primitive to lifted operands."""
        raise NotImplementedError

    def known(self, tracer: Tracer) -> Any:
        """The value of a tracer where this trace knows it."""
        return None

    def origin(self, tracer: Tracer) -> str:
        """Which arguments a tracer came from, as the end of a message."""
        return ""

    def own(self, value: Any) -> Any:
        """The value as one of this trace's own tracers."""
        operand = operand_of(value)
        return operand if isinstance(operand, Tracer) and operand.trace is self else self.lift(operand)


class StagingTrace(Trace):
    """Writes equations: the tracing of ``jit``, of loop bodies and of branches."""

    label = "JitTracer"

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self.name = name
        self.inputs: list[Variable] = []
        self.equations: list[Equation] = []
        self.constants: dict[int, tuple[Variable, Operand]] = {}
        self.sources: dict[Variable, frozenset[str]] = {}

    def argument(self, aval: Aval, path: str = "") -> Tracer:
        """A new input, with the name the user gave it."""
        variable = Variable(aval)
        self.inputs.append(variable)
        self.sources[variable] = frozenset([path] if path else [])
        return Tracer(self, aval, variable)

    def lift(self, operand: Operand) -> Tracer:
        """A literal or a constant of the program."""
        if isinstance(operand, Array) and operand.is_literal:
            return Tracer(self, operand.aval, Literal(operand.aval, operand))
        source = getattr(operand, "source", None) if isinstance(operand, Array) else None
        constant = self.constants.setdefault(
            id(operand if source is None else source), (Variable(operand.aval), operand)
        )
        return Tracer(self, operand.aval, constant[0])

    def process(self, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
        """Write an equation."""
        outputs = [Variable(aval) for aval in primitive.infer([t.aval for t in tracers], params)]
        inputs: list[Atom] = [t.payload for t in tracers]
        self.equations.append(Equation(primitive, inputs, outputs, params))
        source = frozenset[str]().union(*(self.sources.get(v, ()) for v in inputs if isinstance(v, Variable)))
        self.sources.update(dict.fromkeys(outputs, source))
        return [Tracer(self, variable.aval, variable) for variable in outputs]

    def finish(self, results: Sequence[Any]) -> Jaxpr:
        """Close the program with these results."""
        outputs = [self.own(result).payload for result in results]
        used = {atom for equation in self.equations for atom in equation.inputs} | set(outputs)
        constants = [(variable, value) for variable, value in self.constants.values() if variable in used]
        return Jaxpr([v for v, _ in constants], [c for _, c in constants], self.inputs, self.equations, outputs)

    def origin(self, tracer: Tracer) -> str:
        """The arguments that a tracer depends on."""
        names = sorted(self.sources.get(tracer.payload, ()))
        told = f"{'s' if len(names) > 1 else ''} {', '.join(names)}"
        because = " This concrete value was not available in Python because it depends on the value of the argument"
        where = f"The error occurred while tracing the function {self.name} for jit."
        return f"{where}{because}{told}." if names else where


def running(trace: Trace) -> AbstractContextManager[None]:
    """Make a trace the innermost for the length of a ``with`` block."""
    return holding(_active, (*_active.get(), trace))


def staging_trace() -> StagingTrace | None:
    """The trace that every primitive is now written to, if there is one."""
    return next((trace for trace in reversed(_active.get()) if isinstance(trace, StagingTrace)), None)


def operand_of(value: Any) -> Any:
    """A value as an operand; tracers of a trace that has ended are refused."""
    if isinstance(value, Tracer) and value.trace not in _active.get():
        raise UnexpectedTracerError(
            "Encountered an unexpected tracer. A function transformed by JAX had a side effect, allowing for a "
            f"reference to an intermediate value with type {value.aval} to escape the scope of the transformation."
        )
    if isinstance(value, Operand):
        return value
    aval = aval_of(value)
    return Array(np.asarray(value).astype(aval.dtype), weak_type=aval.weak_type, source=value)


def bind(primitive: Primitive, *values: Any, **params: Any) -> list[Any]:
    """Apply a primitive under the innermost trace that has a say."""
    operands = [operand_of(value) for value in values]
    traces: list[Trace] = [operand.trace for operand in operands if isinstance(operand, Tracer)]
    innermost = staging_trace()
    trace = max(traces if innermost is None else [innermost, *traces], key=lambda t: t.level, default=None)
    if trace is None:
        return primitive.computed(operands, params)
    return trace.process(primitive, [trace.own(operand) for operand in operands], params)


def evaluate(jaxpr: Jaxpr, *values: Any) -> list[Any]:
    """Run a jaxpr, by NumPy or under whatever trace its operands belong to."""
    known: dict[Variable, Any] = dict(zip(jaxpr.constants, jaxpr.values, strict=True))
    known.update(zip(jaxpr.inputs, values, strict=True))

    def read(atom: Atom) -> Any:
        return atom.value if isinstance(atom, Literal) else known[atom]

    for equation in jaxpr.equations:
        results = bind(equation.primitive, *map(read, equation.inputs), **equation.params)
        known.update(zip(equation.outputs, results, strict=True))
    return [read(atom) for atom in jaxpr.outputs]


def _refuse_result(name: str, result: object) -> NoReturn:
    says = f"function {name} traced for jit returned a value of type {type(result)}, which is not a valid JAX type"
    raise StagingTypeError(says)


def stage(
    function: Callable[..., Sequence[Any]], avals: Sequence[Aval], name: str = "", paths: Sequence[str] = ()
) -> Jaxpr:
    """Trace a function of flat operands into a jaxpr."""
    trace = StagingTrace(name)
    with running(trace):
        results = function(*[trace.argument(aval, paths[i] if paths else "") for i, aval in enumerate(avals)])
        for result in results:
            if not isinstance(result, Operand | bool | int | float | np.ndarray | np.generic):
                _refuse_result(name, result)
        return trace.finish(results)


# The call of a staged function inside another: ``jit_p`` in ``jax/_src/pjit.py``. Transformations look into it.
jit = Primitive(
    "jit",
    lambda _, params: params["jaxpr"].out_avals,
    batch=lambda trace, _, tracers, params: [trace.own(result) for result in evaluate(params["jaxpr"], *tracers)],
    run=lambda operands, params: evaluate(params["jaxpr"], *operands),
)


def call_staged(name: str, jaxpr: Jaxpr, operands: Sequence[Any]) -> list[Any]:
    """Apply the jit primitive; constants that are tracers of an outer trace become operands."""
    if any(isinstance(value, Tracer) for value in jaxpr.values):
        operands, jaxpr = [*jaxpr.values, *operands], jaxpr.with_constants_first()
    return bind(jit, *operands, name=name, jaxpr=jaxpr)


def stage_and_call(name: str, function: Callable[..., Any], *values: Any) -> Any:
    """Stage a function of the namespace and call it, as JAX does for the functions it jits itself."""
    operands = [operand_of(value) for value in values]
    jaxpr = stage(lambda *arguments: [function(*arguments)], [operand.aval for operand in operands], name)
    return call_staged(name, jaxpr, operands)[0]
