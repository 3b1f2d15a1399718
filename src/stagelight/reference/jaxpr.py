"""Jaxprs: the staged program, as a list of equations over variables; and its text in JAX's notation.

Follows ``Jaxpr``, ``JaxprEqn`` and ``Literal`` in ``jax/_src/core.py``, which are compared by identity, and
``pp_jaxpr_skeleton``, ``_pp_eqn`` and ``pp_kv_pairs`` there. Each part is written on one line where it fits, else
broken; what follows it on the line is not looked at (``jax/_src/pretty_printer.py: _format``).
"""

from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np

from stagelight.reference.aval import Aval

_WIDTH = 80


class Variable(msgspec.Struct, eq=False):
    """The result of an equation, an input or a constant."""

    aval: Aval


class Literal(msgspec.Struct, eq=False):
    """A scalar written into an equation, as the number that was written."""

    aval: Aval
    value: Any
    text = property(lambda self: str(np.asarray(self.value.source).item()))


type Atom = Variable | Literal


class Equation(msgspec.Struct, eq=False):
    """One primitive applied to atoms."""

    primitive: Any
    inputs: list[Atom]
    outputs: list[Variable]
    params: dict[str, Any]


class Jaxpr(msgspec.Struct, eq=False):
    """A staged function: inputs, equations, outputs; constants it captured and their values."""

    inputs: list[Variable]
    equations: list[Equation]
    outputs: list[Atom]
    constants: list[Variable] = []
    values: list[Any] = []
    out_avals = property(lambda self: [atom.aval for atom in self.outputs])
    jaxpr = property(lambda self: self)  # JAX closes a jaxpr over its constants, and has it inside

    def __repr__(self) -> str:
        return _Printer(self).jaxpr(self, 0)


def inner_jaxprs(params: dict[str, Any]) -> list[Jaxpr]:
    """The jaxprs among the parameters of an equation."""
    values = [v for value in params.values() for v in (value if isinstance(value, tuple) else (value,))]
    return [value for value in values if isinstance(value, Jaxpr)]


def _used(jaxpr: Jaxpr) -> set[Atom]:
    read = {atom for equation in jaxpr.equations for atom in equation.inputs}
    return read.union(jaxpr.outputs, *(_used(j) for e in jaxpr.equations for j in inner_jaxprs(e.params)))


def _letters(number: int) -> str:
    head, digit = divmod(number, 26)
    return (_letters(head) if head else "") + chr(ord("a") + digit)


def _shown(name: str, params: dict[str, Any]) -> list[str]:
    """The parameters that JAX prints, in its order."""
    keys = params if name != "broadcast_in_dim" else ["broadcast_dimensions"] * bool(params["broadcast_dimensions"])
    return sorted(keys, key=lambda key: (key != "name", key))


class _Printer:
    """Names variables in order of appearance, and writes parts at an indent, or on one line where that is None."""

    def __init__(self, jaxpr: Jaxpr) -> None:
        self.names: dict[Atom, str] = {}
        self.used = _used(jaxpr)

    def atom(self, atom: Atom) -> str:
        if isinstance(atom, Literal):
            return f"{atom.text}:{atom.aval}"
        if atom not in self.names:
            self.names[atom] = _letters(len({*self.names.values()} - {"_"}))
        return self.names[atom]

    def binders(self, variables: Iterable[Variable], *, may_drop: bool = False) -> str:
        return " ".join(f"{'_' if may_drop and v not in self.used else self.atom(v)}:{v.aval}" for v in variables)

    def jaxpr(self, jaxpr: Jaxpr, indent: int | None, column: int = 0) -> str:
        """On one line where it fits after ``column`` characters, or where there is no indent to break it at."""
        head = f"{{ lambda {self.binders(jaxpr.constants)}; {self.binders(jaxpr.inputs)}. let"
        equations = [self.equation(equation, None) for equation in jaxpr.equations]
        tail = f"in ({', '.join(map(self.atom, jaxpr.outputs))}{',' if len(jaxpr.outputs) == 1 else ''}) }}"
        flat = f"{head} {'; '.join(equations)} {tail}"
        if indent is None or column + len(flat) <= _WIDTH:
            return flat
        broken = [f"    {self.equation(equation, indent + 4)}" for equation in jaxpr.equations] or ["    "]
        return f"\n{' ' * indent}".join([head, *broken, f"  {tail}"])

    def suggest(self, inner: Jaxpr, call: Equation) -> None:
        """Name the variables of a called program after those of the call."""
        taken: set[Atom] = set()
        for ours, theirs in zip(inner.inputs + inner.outputs, call.inputs + call.outputs, strict=True):
            is_variable = isinstance(ours, Variable) and isinstance(theirs, Variable)
            if is_variable and ours not in self.names and theirs not in taken:
                taken.add(theirs)
                self.names[ours] = self.atom(theirs) if theirs in self.used or theirs in self.names else "_"

    def equation(self, equation: Equation, indent: int | None) -> str:
        name, params = equation.primitive.name, equation.params
        if name == "jit":
            self.suggest(params["jaxpr"], equation)
        start = f"{self.binders(equation.outputs, may_drop=True)} = {name}" if equation.outputs else name
        end, shown = f" {' '.join(map(self.atom, equation.inputs))}", _shown(name, params)
        flat = f"{start}[{' '.join(f'{key}={self.value(params[key], None)}' for key in shown)}]" if shown else start
        if indent is None or indent + len(flat) <= _WIDTH or not shown:
            return flat + end
        lines = [f"  {key}={self.value(params[key], indent + 2, indent + 3 + len(key))}" for key in shown]
        return f"\n{' ' * indent}".join([f"{start}[", *lines, f"]{end}"])

    def value(self, value: Any, indent: int | None, column: int = 0) -> str:
        if isinstance(value, Jaxpr):
            return self.jaxpr(value, indent, column)
        if not (isinstance(value, tuple) and value and isinstance(value[0], Jaxpr)):
            return str(value)
        flat = f"({' '.join(self.jaxpr(branch, None) for branch in value)})"
        if indent is None or column + len(flat) <= _WIDTH:
            return flat
        inside = [f"  {self.jaxpr(branch, indent + 2, indent + 2)}" for branch in value]
        return f"\n{' ' * indent}".join(["(", *inside, ")"])
