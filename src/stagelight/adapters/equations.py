"""Count what a jaxpr is made of: equations, arrays that were baked in.

Follows ``jax/_src/core.py: Jaxpr, JaxprEqn``.
"""

from collections.abc import Iterable, Iterator
from typing import Any

# Primitives seen without a jaxpr among their parameters: they never have one.
_PLAIN: set[str] = set()


def inner_jaxpr(jaxpr: Any) -> Any:
    """The jaxpr inside a closed one; in newer JAX both are one class."""
    return getattr(jaxpr, "jaxpr", jaxpr)


def count_equations(jaxpr: Any) -> int:
    """Number of equations, those of inner jaxprs included."""
    return _count(inner_jaxpr(jaxpr), {})


def has_no_inner_jaxprs(primitives: Iterable[str]) -> bool:
    """Whether equations of these primitives never have a jaxpr inside, as far as those counted so far tell."""
    return _PLAIN.issuperset(primitives)


def _count(jaxpr: Any, known: dict[int, int]) -> int:
    """Count, knowing the inner jaxprs seen before: a jitted function called a hundred times is one object."""
    equations = jaxpr.eqns
    total = len(equations)
    for equation in equations:
        name = equation.primitive.name
        if name in _PLAIN:
            continue
        has_none = True
        for inner in _jaxprs_in(equation.params):
            has_none = False
            count = known.get(id(inner))
            if count is None:
                count = known[id(inner)] = _count(inner, known)
            total += count
        if has_none and not name.startswith("scatter"):  # a scatter has a jaxpr in some calls and none in others
            _PLAIN.add(name)
    return total


def _jaxprs_in(parameters: dict[str, Any]) -> Iterator[Any]:
    only = parameters.get("jaxpr")
    if only is not None:
        yield inner_jaxpr(only)
        return
    for value in parameters.values():
        if hasattr(value, "eqns"):
            yield value
        elif hasattr(value, "jaxpr"):
            yield inner_jaxpr(value)
        elif type(value) is tuple:
            yield from (inner_jaxpr(v) for v in value if hasattr(v, "eqns") or hasattr(v, "jaxpr"))


def baked_arrays(jaxpr: Any) -> list[Any]:
    """The arrays that a jaxpr captured, themselves: never keep them."""
    return [c for c in getattr(jaxpr, "consts", ()) or () if hasattr(c, "nbytes")]
