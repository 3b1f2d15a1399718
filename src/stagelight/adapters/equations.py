"""Count what a jaxpr is made of: equations, lines that were unrolled, arrays that were baked in.

Follows ``jax/_src/core.py: Jaxpr, JaxprEqn`` and ``jax/_src/source_info_util.py: SourceInfo`` (the traceback of an
equation is a C++ object whose ``raw_frames`` gives code objects and instruction offsets without making frames).
"""

from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any

# Counting stops here: what is larger is large, and the count must not cost what the trace did.
MOST_EQUATIONS = 20_000

# Primitives seen without a jaxpr among their parameters: they never have one.
_PLAIN: set[str] = set()


def inner_jaxpr(jaxpr: Any) -> Any:
    """The jaxpr inside a closed one; in newer JAX both are one class."""
    return getattr(jaxpr, "jaxpr", jaxpr)


def count_equations(jaxpr: Any) -> int:
    """Number of equations, those of inner jaxprs included."""
    total, waiting = 0, [inner_jaxpr(jaxpr)]
    while waiting and total < MOST_EQUATIONS:
        equations = waiting.pop().eqns
        total += len(equations)
        for equation in equations:
            name = equation.primitive.name
            if name in _PLAIN:
                continue
            inner = list(_jaxprs_in(equation.params))
            waiting.extend(inner)
            if not inner and not name.startswith("scatter"):  # a scatter has a jaxpr in some calls and none in others
                _PLAIN.add(name)
    return total


def _jaxprs_in(parameters: dict[str, Any]) -> Iterator[Any]:
    for value in parameters.values():
        if hasattr(value, "eqns"):
            yield value
        elif hasattr(value, "jaxpr"):
            yield inner_jaxpr(value)
        elif type(value) is tuple:
            yield from (inner_jaxpr(v) for v in value if hasattr(v, "eqns") or hasattr(v, "jaxpr"))


def repeated_lines(jaxpr: Any, is_own: Callable[[str], bool], at_least: int) -> list[tuple[CodeType, int, int, int]]:
    """Source lines of the user's own code that gave the same equation again and again.

    Args:
        jaxpr: The jaxpr, of which only the outermost equations are looked at.
        is_own: Whether a file is the user's own.
        at_least: How many repetitions are worth telling.

    Returns:
        ``(code, line, repetitions, equations)`` each, most repetitions first.
    """
    equations = inner_jaxpr(jaxpr).eqns
    if len(equations) < at_least:
        return []
    places, codes = _OwnPlaces(is_own), dict[int, CodeType]()
    counts: dict[tuple[int, int, str], int] = {}
    for alike in _alike(equations[:MOST_EQUATIONS]):
        place = places.of(alike.traceback)
        if place is not None:
            code, instruction = place
            codes[id(code)] = code
            where = (id(code), instruction, alike.name)
            counts[where] = counts.get(where, 0) + alike.times
    return _by_line(counts, codes, at_least)


class _Alike:
    """Equations with the same traceback and primitive: how many, and what followed the latest of them."""

    __slots__ = ("following", "name", "times", "traceback")

    def __init__(self, traceback: Any, name: str):
        self.traceback = traceback
        self.name = name
        self.times = 0
        self.following: _Alike | None = None


def _alike(equations: list[Any]) -> Iterable[_Alike]:
    """Sort equations by traceback and primitive.

    Tracebacks hash and compare by their frames, in C++. An unrolled loop repeats itself, so each equation is compared
    first with what followed the equation before it last time: that takes a fifth of looking it up.
    """
    known: dict[tuple[Any, str], _Alike] = {}
    before = _Alike(None, "")
    for equation in equations:
        traceback, name = equation.source_info.traceback, equation.primitive.name
        alike = before.following
        if alike is None or alike.name != name or alike.traceback != traceback:
            alike = known.get((traceback, name))
            if alike is None:
                alike = known[traceback, name] = _Alike(traceback, name)
            before.following = alike
        alike.times += 1
        before = alike
    return known.values()


def conds_that_became_selects(jaxpr: Any, is_own: Callable[[str], bool]) -> list[tuple[CodeType, int]]:
    """Lines of the user's own code whose ``cond`` turned into a ``select`` under ``vmap``, so that both branches run.

    Told by JAX's own batching rule on the stack of the equation
    (``jax/_src/lax/control_flow/conditionals.py: _cond_batching_rule``).
    """
    equations = inner_jaxpr(jaxpr).eqns[:MOST_EQUATIONS]
    selects = [e for e in equations if e.primitive.name == "select_n" and e.source_info.traceback is not None]
    if not selects:
        return []
    found, places = dict[tuple[CodeType, int], None](), _OwnPlaces(is_own)
    for equation in selects:
        codes, _ = equation.source_info.traceback.raw_frames()
        if any(c.co_name == "_cond_batching_rule" for c in codes):
            place = places.of(equation.source_info.traceback)
            if place is not None:
                found[place[0], _line_at(*place)] = None
    return list(found)


def _by_line(
    counts: dict[tuple[int, int, str], int], codes: dict[int, CodeType], at_least: int
) -> list[tuple[CodeType, int, int, int]]:
    lines: dict[tuple[CodeType, int], tuple[int, int]] = {}
    for (address, instruction, _), times in counts.items():
        code = codes[address]
        line = _line_at(code, instruction)
        repetitions, equations = lines.get((code, line), (0, 0))
        lines[code, line] = (max(repetitions, times), equations + times)
    found = [(code, line, r, e) for (code, line), (r, e) in lines.items() if r >= at_least]
    return sorted(found, key=lambda f: -f[2])


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


def baked_arrays(jaxpr: Any) -> list[Any]:
    """The arrays that a jaxpr captured, themselves: never keep them."""
    return [c for c in getattr(jaxpr, "consts", ()) or () if hasattr(c, "nbytes")]
