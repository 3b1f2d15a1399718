"""Which of the user's lines made the equations of a jaxpr: those that were unrolled, and conds that became selects.

Follows ``jax/_src/core.py: JaxprEqn`` and ``jax/_src/source_info_util.py: SourceInfo`` (the traceback of an equation is
a C++ object whose ``raw_frames`` gives code objects and instruction offsets without making frames).
"""

from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any

from stagelight.adapters.equations import has_no_inner_jaxprs, inner_jaxpr

# Looking stops here: what is larger is large, and looking must not cost what the trace did.
MOST_EQUATIONS = 20_000

# Code object, line, repetitions, equations.
type RepeatedLine = tuple[CodeType, int, int, int]


class EquationLines:
    """The lines worth telling of one jaxpr.

    Args:
        jaxpr: The jaxpr, of which only the outermost equations are looked at.
        is_own: Whether a file is the user's own.
        at_least: How many repetitions of a line are worth telling.

    Attributes:
        repeated: Source lines of the user's own code that gave the same equation again and again, most repetitions
            first.
        selects: Lines of the user's own code whose ``cond`` became a ``select`` under ``vmap``, so that both branches
            run.
        equations: How many equations every jaxpr has that ``are_those_of`` says yes to, inner ones included; ``None``
            where that has to be counted, since inner jaxprs may differ.
    """

    __slots__ = ("_names", "_samples", "equations", "repeated", "selects")

    def __init__(self, jaxpr: Any, is_own: Callable[[str], bool], at_least: int):
        equations = inner_jaxpr(jaxpr).eqns[:MOST_EQUATIONS]
        self._names = [e.primitive.name for e in equations]
        plain = len(equations) < MOST_EQUATIONS and has_no_inner_jaxprs(self._names)
        self.equations = len(equations) if plain else None
        places = _OwnPlaces(is_own)
        many = list(_alike(equations)) if len(equations) >= at_least else []
        self.repeated = _repeated(many, places, at_least)
        selects = [(at, equations[at]) for at, name in enumerate(self._names) if name == "select_n"]
        self.selects = _conds_that_became_selects([e.source_info.traceback for _, e in selects], places)
        told = many if self.repeated else []  # a line may be told for equations that library code made at many places
        self._samples = [(at, a.traceback) for a in told for at in {a.first, a.latest}]
        if self.selects:
            self._samples += [(at, e.source_info.traceback) for at, e in selects]

    def are_those_of(self, jaxpr: Any) -> bool:
        """Whether another trace of the same function took the same lines.

        All primitives are compared; where they came from is compared at the first and the last equation of each
        place. That a retrace has the same primitives, but took other lines in between, is not worth what comparing
        every place costs.
        """
        equations = inner_jaxpr(jaxpr).eqns[:MOST_EQUATIONS]
        if [e.primitive.name for e in equations] != self._names:
            return False
        return not self._samples or all(equations[at].source_info.traceback == t for at, t in self._samples)


class _Alike:
    """Equations with the same traceback and primitive: how many, where they stand, what followed the latest of them."""

    __slots__ = ("first", "following", "latest", "name", "times", "traceback")

    def __init__(self, traceback: Any, name: str, position: int):
        self.traceback = traceback
        self.name = name
        self.times = 0
        self.first = self.latest = position
        self.following: _Alike | None = None


def _alike(equations: list[Any]) -> Iterable[_Alike]:
    """Sort equations by traceback and primitive.

    Tracebacks hash and compare by their frames, in C++. An unrolled loop repeats itself, so each equation is compared
    first with what followed the equation before it last time: that takes a fifth of looking it up.
    """
    known: dict[tuple[Any, str], _Alike] = {}
    before = _Alike(None, "", 0)
    for position, equation in enumerate(equations):
        traceback, name = equation.source_info.traceback, equation.primitive.name
        alike = before.following
        if alike is None or alike.name != name or alike.traceback != traceback:
            alike = known.get((traceback, name))
            if alike is None:
                alike = known[traceback, name] = _Alike(traceback, name, position)
            before.following = alike
        alike.times += 1
        alike.latest = position
        before = alike
    return known.values()


def _repeated(many: Iterable[_Alike], places: "_OwnPlaces", at_least: int) -> tuple[RepeatedLine, ...]:
    """The repetitions of a line are those of its most frequent equation; its equations are all of them."""
    codes = dict[int, CodeType]()
    counts: dict[tuple[int, int, str], int] = {}
    for alike in many:
        place = places.of(alike.traceback)
        if place is not None:
            code, instruction = place
            codes[id(code)] = code
            where = (id(code), instruction, alike.name)
            counts[where] = counts.get(where, 0) + alike.times
    lines: dict[tuple[CodeType, int], tuple[int, int]] = {}
    for (address, instruction, _), times in counts.items():
        where_from = codes[address], _line_at(codes[address], instruction)
        repetitions, equations = lines.get(where_from, (0, 0))
        lines[where_from] = (max(repetitions, times), equations + times)
    found = [(code, line, r, e) for (code, line), (r, e) in lines.items() if r >= at_least]
    return tuple(sorted(found, key=lambda f: -f[2]))


def _conds_that_became_selects(tracebacks: Iterable[Any], places: "_OwnPlaces") -> tuple[tuple[CodeType, int], ...]:
    """Told by JAX's own batching rule on the stack of a ``select_n``.

    Follows ``jax/_src/lax/control_flow/conditionals.py: _cond_batching_rule``.
    """
    found = dict[tuple[CodeType, int], None]()
    for traceback in tracebacks:
        if traceback is not None and any(c.co_name == "_cond_batching_rule" for c in traceback.raw_frames()[0]):
            place = places.of(traceback)
            if place is not None:
                found[place[0], _line_at(*place)] = None
    return tuple(found)


class _OwnPlaces:
    """Finds the innermost frame of the user's own code of an equation, asking once for each code object.

    Code objects are known by address: they hash by content, which costs more than the whole search.
    """

    def __init__(self, is_own: Callable[[str], bool]):
        self._is_own = is_own
        self._known: dict[int, bool] = {}

    def of(self, traceback: Any) -> tuple[CodeType, int] | None:
        if traceback is None:
            return None
        codes, instructions = traceback.raw_frames()
        known = self._known
        for position, code in enumerate(codes):
            is_own = known.get(id(code))
            if is_own is None:
                is_own = known[id(code)] = self._is_own(code.co_filename)
            if is_own:
                return code, instructions[position]
        return None


def _line_at(code: CodeType, instruction: int) -> int:
    for start, end, line in code.co_lines():
        if start <= instruction < end and line:
            return line
    return code.co_firstlineno
