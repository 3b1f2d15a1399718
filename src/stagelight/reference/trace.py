"""Primitives, and what happens to one that is applied while a transformation runs.

Without a trace a primitive is evaluated with NumPy. Under a staging trace it becomes an equation, operands or not.
The innermost of nested traces decides, as in "Autodidax" of the JAX documentation; ``core.ensure_no_leaks`` and
``DynamicJaxprTrace`` (``jax/_src/interpreters/partial_eval.py``) are followed for leaks, constants and literals.
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

import msgspec
import numpy as np

from stagelight.reference.aval import Aval, aval_of, holding
from stagelight.reference.jaxpr import Atom, Equation, Jaxpr, Literal, Variable
from stagelight.reference.operand import Array, Operand, Tracer
from stagelight.reference.pytree import Registry, Structure
from stagelight.reference.staging_error import UnexpectedTracerError, require

type Params = dict[str, Any]
type Traced = tuple[Jaxpr, Structure]

_active: ContextVar[tuple["Trace", ...]] = ContextVar("active", default=())


class Primitive(msgspec.Struct, eq=False):
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
    batch: Any = None
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
        return [Array(np.asarray(r, a.dtype), weak_type=a.weak_type) for r, a in zip(results, avals, strict=True)]


class Trace:
    """A transformation that is running; each kind lifts operands of outer ones, and processes a primitive.

    A tracer is shown under the name of its trace.
    """

    lift: Any

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


class JitTrace(Trace):
    """Writes equations: the tracing of ``jit``, of loop bodies and of branches."""

    def __init__(self, name: str, inputs: dict[Variable, str]) -> None:
        self.name, self.inputs = name, inputs
        self.equations: list[Equation] = []
        self.constants: dict[int, tuple[Variable, Operand]] = {}

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
        outputs = list(map(Variable, primitive.listed(primitive.infer(*[t.aval for t in tracers], **params))))
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
        depends = sorted({f" It depends on the argument {p}." for v, p in self.inputs.items() if v in needed and p})
        return f"The error occurred while tracing the function {self.name} for jit.{''.join(depends)}"


def running(trace: Trace) -> Any:
    """Make a trace the innermost for the length of a ``with`` block."""
    return holding(_active, (*_active.get(), trace))


def staging_trace() -> JitTrace | None:
    """The trace that every primitive is now written to, if there is one."""
    return next((trace for trace in reversed(_active.get()) if isinstance(trace, JitTrace)), None)


def operand_of(value: Any) -> Any:
    """A value as an operand; tracers of a trace that has ended are refused."""
    if not isinstance(value, Operand):
        aval = aval_of(value)
        return Array(np.asarray(value).astype(aval.dtype), weak_type=aval.weak_type, source=value)
    is_alive = not isinstance(value, Tracer) or value.trace in _active.get()
    require(
        is_alive, f"Encountered an unexpected tracer: a {value.aval} that a side effect kept.", UnexpectedTracerError
    )
    return value


def bind(primitive: Primitive, *values: Any, **params: Any) -> list[Any]:
    """Apply a primitive under the innermost trace that has a say."""
    operands = [operand_of(value) for value in values]
    traces: list[Any] = [staging_trace(), *(operand.trace for operand in operands if isinstance(operand, Tracer))]
    trace = max(filter(None, traces), key=_active.get().index, default=None)
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
    """Trace a function of flat operands, whose arguments may have paths for messages, into a jaxpr."""
    inputs = [Variable(aval) for aval in avals]
    trace = JitTrace(name, dict(zip(inputs, paths or [""] * len(inputs), strict=True)))
    with running(trace):
        results = function(*[Tracer(trace, variable.aval, variable) for variable in inputs])
        for result in results:
            is_value = isinstance(result, Operand | bool | int | float | np.ndarray | np.generic)
            require(is_value, f"function {name} traced for jit returned a {type(result)}, which is not a JAX type")
        return trace.finish(results)


def stage_tree(registry: Registry, function: Any, arguments: Any, given: Any, paths: Sequence[str] = ()) -> Traced:
    """Trace a function of what ``arguments`` rebuild from leaves; and tell the structure of its result."""
    flat, found = registry.flat(lambda leaves: function(*arguments.rebuild(leaves)))
    return stage(flat, [aval_of(leaf) for leaf in given], getattr(function, "__name__", ""), paths), found[0]


def calling(name: str, infer: Any, run: Any, batch: Any = None, pull: Any = None) -> Primitive:
    """A primitive of several results that is nothing but what it runs."""
    return Primitive(name, infer, None, batch, pull, run, multiple_results=True)


# The call of a staged function inside another: ``jit_p`` in ``jax/_src/pjit.py``. Transformations look into it.
jit = calling("jit", lambda *_, jaxpr, **__: jaxpr.out_avals, lambda *xs, jaxpr, **_: evaluate(jaxpr, *xs))


def call_staged(name: str, jaxpr: Jaxpr, operands: Sequence[Any]) -> list[Any]:
    """Apply the jit primitive; constants that are tracers of an outer trace become operands."""
    if any(isinstance(value, Tracer) for value in jaxpr.values):
        operands = [*jaxpr.values, *operands]
        jaxpr = Jaxpr(jaxpr.constants + jaxpr.inputs, jaxpr.equations, jaxpr.outputs)
    return bind(jit, *operands, name=name, jaxpr=jaxpr)
