"""Traces: what happens to a primitive that is applied while a transformation runs.

Without a trace a primitive is evaluated with NumPy. Under a staging trace it becomes an equation, operands or not.
Levels decide between nested traces, as in "Autodidax" of the JAX documentation; ``core.ensure_no_leaks`` and
``DynamicJaxprTrace`` (``jax/_src/interpreters/partial_eval.py``) are followed for leaks, constants and literals.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from stagelight.reference.aval import Aval, aval_of
from stagelight.reference.jaxpr import Atom, Equation, Jaxpr, Literal, Variable
from stagelight.reference.operand import Array, Operand, Tracer
from stagelight.reference.primitive import Primitive
from stagelight.reference.staging_error import StagingTypeError, UnexpectedTracerError

_active: ContextVar[tuple["Trace", ...]] = ContextVar("active", default=())


class Trace:
    """A transformation that is running."""

    label = "Tracer"

    def __init__(self) -> None:
        self.level = 1 + max((trace.level for trace in _active.get()), default=0)

    def lift(self, operand: Operand) -> Any:
        """Bring an operand of a lower level into this trace."""
        raise NotImplementedError

    def process(self, primitive: Primitive, tracers: list[Any], params: dict[str, Any]) -> list[Any]:
        """Apply a primitive to lifted operands."""
        raise NotImplementedError

    def concrete(self, tracer: Tracer) -> Array | None:
        """The value of a tracer where this trace knows it."""
        return None

    def origin(self, tracer: Tracer) -> str:
        """Which arguments a tracer came from, as the end of a message."""
        return ""


class _Evaluation(Trace):
    """No transformation: NumPy computes."""

    def __init__(self) -> None:
        self.level = 0

    def lift(self, operand: Operand) -> Any:
        return operand

    def process(self, primitive: Primitive, tracers: list[Any], params: dict[str, Any]) -> list[Any]:
        avals = primitive.infer([t.aval for t in tracers], params)
        if primitive.run is not None:
            return primitive.run(tracers, params)
        with np.errstate(all="ignore"):
            results = primitive.evaluate(*[t.value for t in tracers], **params)
        results = results if isinstance(results, tuple) else (results,)
        return [
            Array(np.asarray(r).astype(a.dtype, copy=False), weak_type=a.weak_type)
            for r, a in zip(results, avals, strict=True)
        ]


_EVALUATION = _Evaluation()


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
        identity = id(operand.source) if isinstance(operand, Array) and operand.source is not None else id(operand)
        if identity not in self.constants:
            self.constants[identity] = (Variable(operand.aval), operand)
        return Tracer(self, operand.aval, self.constants[identity][0])

    def process(self, primitive: Primitive, tracers: list[Any], params: dict[str, Any]) -> list[Any]:
        """Write an equation."""
        outputs = [Variable(aval) for aval in primitive.infer([t.aval for t in tracers], params)]
        inputs: list[Atom] = [t.payload for t in tracers]
        self.equations.append(Equation(primitive, inputs, outputs, params))
        source = frozenset[str]().union(*(self.sources.get(v, ()) for v in inputs if isinstance(v, Variable)))
        self.sources.update(dict.fromkeys(outputs, source))
        return [Tracer(self, variable.aval, variable) for variable in outputs]

    def finish(self, results: Sequence[Operand]) -> Jaxpr:
        """Close the program with these results."""
        outputs = [own(self, result).payload for result in results]
        used = {atom for equation in self.equations for atom in equation.inputs} | set(outputs)
        constants = [(variable, value) for variable, value in self.constants.values() if variable in used]
        return Jaxpr([v for v, _ in constants], [c for _, c in constants], self.inputs, self.equations, outputs)

    def origin(self, tracer: Tracer) -> str:
        """The arguments that a tracer depends on."""
        names = sorted(self.sources.get(tracer.payload, ()))
        because = (
            f"This concrete value was not available in Python because it depends on the value of the argument"
            f"{'s' if len(names) > 1 else ''} {', '.join(names)}."
        )
        return f"The error occurred while tracing the function {self.name} for jit. {because if names else ''}".strip()


@contextmanager
def running(trace: Trace) -> Generator[None]:
    """Make a trace the innermost for the length of a ``with`` block."""
    token = _active.set((*_active.get(), trace))
    try:
        yield
    finally:
        _active.reset(token)


def staging_trace() -> StagingTrace | None:
    """The trace that every primitive is now written to, if there is one."""
    return next((trace for trace in reversed(_active.get()) if isinstance(trace, StagingTrace)), None)


def operand_of(value: Any) -> Operand:
    """A value as an operand; tracers of a trace that has ended are refused."""
    if isinstance(value, Tracer):
        if value.trace not in _active.get():
            raise UnexpectedTracerError(
                f"Encountered an unexpected tracer. A function transformed by JAX had a side effect, allowing for a "
                f"reference to an intermediate value with type {value.aval} to escape the scope of the transformation."
            )
        return value
    if isinstance(value, Operand):
        return value
    aval = aval_of(value)
    return Array(np.asarray(value).astype(aval.dtype), weak_type=aval.weak_type, source=value)


def own(trace: Trace, operand: Operand) -> Any:
    """The operand as one of this trace's own."""
    return operand if isinstance(operand, Tracer) and operand.trace is trace else trace.lift(operand)


def bind(primitive: Primitive, *values: Any, **params: Any) -> list[Any]:
    """Apply a primitive under the innermost trace that has a say."""
    operands = [operand_of(value) for value in values]
    innermost = staging_trace()
    candidates: list[Trace] = [] if innermost is None else [innermost]
    candidates += [operand.trace for operand in operands if isinstance(operand, Tracer)]
    trace = max(candidates, key=lambda t: t.level, default=_EVALUATION)
    return trace.process(primitive, [own(trace, operand) for operand in operands], params)


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


def stage(
    function: Callable[..., Sequence[Any]], avals: Sequence[Aval], name: str = "", paths: Sequence[str] = ()
) -> Jaxpr:
    """Trace a function of flat operands into a jaxpr."""
    trace = StagingTrace(name)
    with running(trace):
        arguments = [trace.argument(aval, paths[i] if paths else "") for i, aval in enumerate(avals)]
        results = function(*arguments)
        for result in results:
            if not isinstance(result, Operand | bool | int | float | np.ndarray | np.generic):
                raise StagingTypeError(
                    f"function {name} traced for jit returned a value of type {type(result)}, which is not a valid JAX "
                    "type"
                )
        return trace.finish([operand_of(result) for result in results])
