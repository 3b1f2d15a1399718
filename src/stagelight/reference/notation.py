"""The text of a jaxpr in JAX's notation, with variables named and lines broken where JAX does.

Follows ``pp_jaxpr_skeleton``, ``_pp_eqn`` and ``pp_kv_pairs`` in ``jax/_src/core.py`` and the layout of
``jax/_src/pretty_printer.py`` (Wadler, "A prettier printer", 2003).
"""

import itertools
from collections.abc import Iterable
from typing import Any

from stagelight.reference.jaxpr import Atom, Equation, Jaxpr, Literal, Variable

_WIDTH = 80


class _Break(str):
    """Its own text on a line that fits; otherwise a new line."""


class _Nest(list[Any]):
    """Parts indented by two when broken."""


class _Group(list[Any]):
    """Parts that go on one line if they fit on it."""


def jaxpr_text(jaxpr: Jaxpr) -> str:
    """A jaxpr as ``print(jax.make_jaxpr(f)(x))`` would show it."""
    return _layout(_Names(jaxpr).jaxpr(jaxpr))


class _Names:
    """Builds the parts of the text, naming variables in order of appearance."""

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
        drop = [may_drop and variable not in self.used for variable in variables]
        return " ".join(
            f"{'_' if dropped else self.atom(v)}:{v.aval}" for v, dropped in zip(variables, drop, strict=True)
        )

    def jaxpr(self, jaxpr: Jaxpr) -> list[Any]:
        head = f"{{ lambda {self.binders(jaxpr.constants)}; {self.binders(jaxpr.inputs)}. let"
        equations = _joined([self.equation(equation) for equation in jaxpr.equations], "; ")
        tail = f"in ({', '.join(map(self.atom, jaxpr.outputs))}{',' if len(jaxpr.outputs) == 1 else ''})"
        return [_Group([_Nest([head, _Nest([_Break(" "), *equations]), _Break(" "), tail])]), " }"]

    def suggest(self, inner: Iterable[Atom], outer: Iterable[Atom]) -> None:
        """Name the variables of a called program after those of the call."""
        taken: set[Atom] = set()
        for ours, theirs in zip(inner, outer, strict=True):
            if not isinstance(ours, Variable) or ours in self.names:
                continue
            if isinstance(theirs, Variable) and theirs not in taken:
                taken.add(theirs)
                self.names[ours] = self.atom(theirs) if theirs in self.used or theirs in self.names else "_"

    def equation(self, equation: Equation) -> list[Any]:
        if equation.primitive.name == "jit":
            called = equation.params["jaxpr"]
            self.suggest(called.inputs, equation.inputs)
            self.suggest(called.outputs, equation.outputs)
        bound = f"{self.binders(equation.outputs, may_drop=True)} = " if equation.outputs else ""
        shown = [[f"{name}=", self.value(value)] for name, value in equation.primitive.shown(equation.params)]
        pairs = _Group(["[", _Nest([_Break(""), *_joined(shown, " ")]), _Break(""), "]"]) if shown else ""
        return [bound, equation.primitive.name, pairs, " " + " ".join(map(self.atom, equation.inputs))]

    def value(self, value: Any) -> Any:
        if isinstance(value, Jaxpr):
            return self.jaxpr(value)
        if isinstance(value, tuple) and value and isinstance(value[0], Jaxpr):
            branches = _joined([self.jaxpr(branch) for branch in value], " ")
            return _Group([_Nest(["(", _Break(""), *branches]), _Break(""), ")"])
        return str(value)


def inner_jaxprs(params: dict[str, Any]) -> list[Jaxpr]:
    """The jaxprs among the parameters of an equation."""
    values = [v for value in params.values() for v in (value if isinstance(value, tuple) else (value,))]
    return [value for value in values if isinstance(value, Jaxpr)]


def _joined(parts: list[Any], separator: str) -> list[Any]:
    return [piece for part in parts for piece in (_Break(separator), part)][1:]


def _letters(number: int) -> str:
    text = ""
    while not text or number:
        number, digit = divmod(number, 26)
        text = chr(ord("a") + digit) + text
    return text


def _flat(part: Any) -> str:
    return part if isinstance(part, str) else "".join(map(_flat, part))


def _text_until_break(agenda: list[tuple[int, bool, Any]]) -> int:
    """The length of what has to stand on the line after a group."""
    plain = itertools.takewhile(
        lambda entry: isinstance(entry[2], str) and not isinstance(entry[2], _Break), agenda[::-1]
    )
    return sum(len(text) for _, _, text in plain)


def _layout(document: Any) -> str:
    lines = [""]
    agenda: list[tuple[int, bool, Any]] = [(0, False, document)]
    while agenda:
        indent, flat, part = agenda.pop()
        if isinstance(part, _Break) and not flat:
            lines.append(" " * indent)
        elif isinstance(part, str):
            lines[-1] += part
        else:
            indent += 2 * isinstance(part, _Nest)
            width = len(lines[-1]) + len(_flat(part)) + _text_until_break(agenda)
            flat = flat or (isinstance(part, _Group) and width <= _WIDTH)
            agenda += [(indent, flat, inner) for inner in reversed(part)]
    return "\n".join(lines)
