"""The text of a jaxpr in JAX's notation, with variables named and lines broken where JAX does.

Follows ``pp_jaxpr_skeleton``, ``_pp_eqn`` and ``pp_kv_pairs`` in ``jax/_src/core.py``. Each part is written on one line
where it fits, else broken; what follows it on the line is not looked at (``jax/_src/pretty_printer.py: _format``).
"""

import itertools
from collections.abc import Iterable
from typing import Any

from stagelight.reference.jaxpr import Atom, Equation, Jaxpr, Literal, Variable

_WIDTH = 80


def jaxpr_text(jaxpr: Jaxpr) -> str:
    """A jaxpr as ``print(jax.make_jaxpr(f)(x))`` would show it."""
    return _Printer(jaxpr).jaxpr(jaxpr, 0)


def inner_jaxprs(params: dict[str, Any]) -> list[Jaxpr]:
    """The jaxprs among the parameters of an equation."""
    values = [v for value in params.values() for v in (value if isinstance(value, tuple) else (value,))]
    return [value for value in values if isinstance(value, Jaxpr)]


class _Printer:
    """Names variables in order of appearance, and writes parts at an indent, or on one line where that is None."""

    def __init__(self, jaxpr: Jaxpr) -> None:
        self.names: dict[Variable, str] = {}
        self.numbers = itertools.count()
        self.used: set[Atom] = set()
        self._mark_used(jaxpr)

    def _mark_used(self, jaxpr: Jaxpr) -> None:
        self.used.update(jaxpr.outputs)
        for equation in jaxpr.equations:
            self.used.update(equation.inputs)
            for inner in inner_jaxprs(equation.params):
                self._mark_used(inner)

    def atom(self, atom: Atom) -> str:
        if isinstance(atom, Literal):
            return f"{atom.text}:{atom.aval}"
        if atom not in self.names:
            self.names[atom] = _letters(next(self.numbers))
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
        broken = [self.equation(equation, indent + 4) for equation in jaxpr.equations] or [""]
        return "\n".join([head, *(" " * (indent + 4) + text for text in broken), " " * (indent + 2) + tail])

    def suggest(self, inner: Iterable[Atom], outer: Iterable[Atom]) -> None:
        """Name the variables of a called program after those of the call."""
        taken: set[Atom] = set()
        for ours, theirs in zip(inner, outer, strict=True):
            if isinstance(ours, Literal) or ours in self.names or isinstance(theirs, Literal) or theirs in taken:
                continue
            taken.add(theirs)
            self.names[ours] = self.atom(theirs) if theirs in self.used or theirs in self.names else "_"

    def equation(self, equation: Equation, indent: int | None) -> str:
        if equation.primitive.name == "jit":
            called = equation.params["jaxpr"]
            self.suggest(called.inputs, equation.inputs)
            self.suggest(called.outputs, equation.outputs)
        bound = f"{self.binders(equation.outputs, may_drop=True)} = " if equation.outputs else ""
        start, shown = bound + equation.primitive.name, equation.primitive.shown(equation.params)
        pairs = f"[{' '.join(f'{name}={self.value(value, None)}' for name, value in shown)}]" if shown else ""
        end = f" {' '.join(map(self.atom, equation.inputs))}"
        if indent is None or indent + len(start + pairs) <= _WIDTH or not shown:
            return start + pairs + end
        inside = " " * (indent + 2)
        values = [self.value(value, indent + 2, indent + 3 + len(name)) for name, value in shown]
        lines = [f"{inside}{name}={value}" for (name, _), value in zip(shown, values, strict=True)]
        return "\n".join([f"{start}[", *lines, f"{' ' * indent}]{end}"])

    def value(self, value: Any, indent: int | None, column: int = 0) -> str:
        if isinstance(value, Jaxpr):
            return self.jaxpr(value, indent, column)
        if not (isinstance(value, tuple) and value and isinstance(value[0], Jaxpr)):
            return str(value)
        flat = f"({' '.join(self.jaxpr(branch, None) for branch in value)})"
        if indent is None or column + len(flat) <= _WIDTH:
            return flat
        inside = " " * (indent + 2)
        return "\n".join(["(", *(inside + self.jaxpr(b, indent + 2, indent + 2) for b in value), " " * indent + ")"])


def _letters(number: int) -> str:
    head, digit = divmod(number, 26)
    return (_letters(head) if head else "") + chr(ord("a") + digit)
