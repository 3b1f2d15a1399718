"""Primitives, and what happens to one that is applied while a transformation runs.

Without a trace a primitive is evaluated with NumPy. Under a staging trace it becomes an equation, operands or not.
Levels decide between nested traces, as in "Autodidax" of the JAX documentation; ``core.ensure_no_leaks`` and
``DynamicJaxprTrace`` (``jax/_src/interpreters/partial_eval.py``) are followed for leaks, constants and literals.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from stagelight.reference.aval import Aval, aval_of, holding
from stagelight.reference.jaxpr import Atom, Equation, Jaxpr, Literal, Variable
from stagelight.reference.operand import Array, Operand, Tracer
from stagelight.reference.pytree import Registry, Structure
from stagelight.reference.staging_error import UnexpectedTracerError, require

type Params = dict[str, Any]

_active: ContextVar[tuple["Trace", ...]] = ContextVar("active", default=())


@dataclass(eq=False, slots=True)
class Primitive:
    """An operation a jaxpr is made of: its rules, one for each thing that can be done with it.

    ``infer`` gives the avals of the results from those of the operands. ``evaluate`` computes the results with NumPy.
    ``batch`` applies it under a batching trace. ``pull`` gives the cotangents of the operands from those of the
    results, the results and the operands. ``run`` stands in for a rule that is missing: it does the same by other
    primitives, or by the jaxprs among the parameters. Parameters are keyword arguments. Without
    ``multiple_results``, a result is given and taken as itself, else as a list.
    """

    name: str
    infer: Callable[..., Any]
    evaluate: Any = None
    batch: Callable[[Any, "Primitive", list[Any], Params], list[Any]] | None = None
    pull: Any = None
    run: Any = None
    multiple_results: bool = False

    def __call__(self, *values: Any, **params: Any) -> Any:
        """Apply it, and give its only result."""
        return bind(self, *values, **params)[0]

    def listed(self, found: Any) -> list[Any]:
        """What a rule gave, as a list."""
        return list(found) if self.multiple_results else [found]

    def computed(self, operands: list[Any], params: Params) -> list[Any]:
        """Its results on values."""
        if self.evaluate is None:
            return self.run(*operands, **params)
        avals = self.listed(self.infer(*[operand.aval for operand in operands], **params))
        with np.errstate(all="ignore"):
            results = self.listed(self.evaluate(*[operand.value for operand in operands], **params))
        pairs = zip(results, avals, strict=True)
        return [Array(np.asarray(r).astype(a.dtype, copy=False), weak_type=a.weak_type) for r, a in pairs]


class Trace:
    """A transformation that is running; each kind lifts operands of lower levels, and processes a primitive."""

    label = "Tracer"
    lift: Any
    process: Any

    def __init__(self) -> None:
        self.level = len(_active.get())

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

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.inputs: dict[Variable, str] = {}
        self.equations: list[Equation] = []
        self.constants: dict[int, tuple[Variable, Operand]] = {}

    def argument(self, aval: Aval, path: str) -> Tracer:
        """A new input, with the name the user gave it."""
        variable = Variable(aval)
        self.inputs[variable] = path
        return Tracer(self, aval, variable)

    def lift(self, operand: Operand) -> Tracer:
        """A literal or a constant of the program."""
        source = operand.source if isinstance(operand, Array) else None
        if source is not None and not operand.ndim:
            return Tracer(self, operand.aval, Literal(operand.aval, operand))
        identity = id(operand if source is None else source)
        variable, _ = self.constants.setdefault(identity, (Variable(operand.aval), operand))
        return Tracer(self, operand.aval, variable)

    def process(self, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
        """Write an equation."""
        avals = primitive.listed(primitive.infer(*[t.aval for t in tracers], **params))
        outputs = [Variable(aval) for aval in avals]
        self.equations.append(Equation(primitive, [t.payload for t in tracers], outputs, params))
        return [Tracer(self, variable.aval, variable) for variable in outputs]

    def finish(self, results: Sequence[Any]) -> Jaxpr:
        """Close the program with these results."""
        outputs = [self.own(result).payload for result in results]
        used = {atom for equation in self.equations for atom in equation.inputs} | {*outputs}
        constants = {variable: value for variable, value in self.constants.values() if variable in used}
        return Jaxpr(list(self.inputs), self.equations, outputs, list(constants), list(constants.values()))

    def origin(self, tracer: Tracer) -> str:
        """The arguments that a tracer depends on."""
        needed: set[Atom] = {tracer.payload}
        for equation in reversed(self.equations):
            needed.update(equation.inputs if needed.intersection(equation.outputs) else ())
        names = sorted({path for variable, path in self.inputs.items() if variable in needed and path})
        told = f"{'s' if len(names) > 1 else ''} {', '.join(names)}"
        because = " This concrete value was not available in Python because it depends on the value of the argument"
        return (
            f"The error occurred while tracing the function {self.name} for jit.{because + told + '.' if names else ''}"
        )


def running(trace: Trace) -> AbstractContextManager[None]:
    """Make a trace the innermost for the length of a ``with`` block."""
    return holding(_active, (*_active.get(), trace))


def staging_trace() -> StagingTrace | None:
    """The trace that every primitive is now written to, if there is one."""
    return next((trace for trace in reversed(_active.get()) if isinstance(trace, StagingTrace)), None)


def operand_of(value: Any) -> Any:
    """A value as an operand; tracers of a trace that has ended are refused."""
    if not isinstance(value, Operand):
        aval = aval_of(value)
        return Array(np.asarray(value).astype(aval.dtype), weak_type=aval.weak_type, source=value)
    if isinstance(value, Tracer) and value.trace not in _active.get():
        says = "Encountered an unexpected tracer. A function transformed by JAX had a side effect, allowing for"
        raise UnexpectedTracerError(f"{says} an intermediate value with type {value.aval} to escape its scope.")
    return value


def bind(primitive: Primitive, *values: Any, **params: Any) -> list[Any]:
    """Apply a primitive under the innermost trace that has a say."""
    operands = [operand_of(value) for value in values]
    traces: list[Any] = [operand.trace for operand in operands if isinstance(operand, Tracer)]
    trace = max(filter(None, [staging_trace(), *traces]), key=lambda t: t.level, default=None)
    if trace is None:
        return primitive.computed(operands, params)
    return trace.process(primitive, [trace.own(operand) for operand in operands], params)


def evaluate(jaxpr: Jaxpr, *values: Any) -> list[Any]:
    """Run a jaxpr, by NumPy or under whatever trace its operands belong to."""
    known: dict[Atom, Any] = dict(zip(jaxpr.constants + jaxpr.inputs, [*jaxpr.values, *values], strict=True))

    def read(atom: Atom) -> Any:
        return atom.value if isinstance(atom, Literal) else known[atom]

    for equation in jaxpr.equations:
        results = bind(equation.primitive, *map(read, equation.inputs), **equation.params)
        known.update(zip(equation.outputs, results, strict=True))
    return [read(atom) for atom in jaxpr.outputs]


def stage(function: Callable[..., Any], avals: Sequence[Aval], name: str = "", paths: Sequence[str] = ()) -> Jaxpr:
    """Trace a function of flat operands into a jaxpr."""
    trace = StagingTrace(name)
    with running(trace):
        results = function(*[trace.argument(aval, paths[i] if paths else "") for i, aval in enumerate(avals)])
        for result in results:
            says = f"function {name} traced for jit returned a value of type {type(result)}, which is not a JAX type"
            require(isinstance(result, Operand | bool | int | float | np.ndarray | np.generic), says)
        return trace.finish(results)


def stage_tree(
    registry: Registry, function: Any, arguments: Structure, given: Sequence[Any]
) -> tuple[Jaxpr, Structure]:
    """Trace a function of trees, given as the structure of its arguments and their leaves; and tell the result's."""
    flat, found = registry.flat(lambda leaves: function(*arguments.rebuild(leaves)))
    return stage(flat, [aval_of(leaf) for leaf in given], getattr(function, "__name__", "")), found[0]


# The call of a staged function inside another: ``jit_p`` in ``jax/_src/pjit.py``. Transformations look into it.
jit = Primitive(
    "jit",
    infer=lambda *_, jaxpr, **__: jaxpr.out_avals,
    run=lambda *operands, jaxpr, **_: evaluate(jaxpr, *operands),
    multiple_results=True,
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
