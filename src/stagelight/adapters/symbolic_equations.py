"""Equations of a jaxpr: their operands, where a symbolic dimension occurs in them, and how to run one.

Follows ``jax/extend/core/__init__.py`` (``Literal``) and ``jax/_src/core.py`` (``Jaxpr``, ``JaxprEqn``,
``Primitive.get_bind_params``). A dimension is recognised by not being an integer, so no private class is named.
"""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from jax.extend.core import Literal

_symbolic_of_jaxpr: dict[int, tuple[weakref.ref[Any], bool]] = {}


class JaxprParts:
    """A jaxpr taken apart, whichever of JAX's kinds it is (closed, open, or the merged kind of 0.12)."""

    __slots__ = ("captured", "captured_variables", "equations", "inputs", "outputs")

    def __init__(self, jaxpr: Any) -> None:
        opened = getattr(jaxpr, "jaxpr", jaxpr)
        self.captured = tuple(getattr(jaxpr, "consts", ()) or ())
        self.captured_variables = tuple(opened.constvars)
        self.inputs = tuple(opened.invars)
        self.equations = opened.eqns
        self.outputs = tuple(opened.outvars)


def input_avals(jaxpr: Any) -> list[Any]:
    """The abstract values of a jaxpr's inputs."""
    return [variable.aval for variable in JaxprParts(jaxpr).inputs]


def output_avals(jaxpr: Any) -> list[Any]:
    """The abstract values of a jaxpr's outputs."""
    return [variable.aval for variable in JaxprParts(jaxpr).outputs]


def is_literal(atom: Any) -> bool:
    """Whether an operand is a value written into the equation, in its ``val``."""
    return isinstance(atom, Literal)


def live_equations(jaxpr: Any) -> list[Any]:
    """The equations whose results are read or that have an effect; a gradient's jaxpr may hold others."""
    parts = JaxprParts(jaxpr)
    read = {atom for atom in parts.outputs if not is_literal(atom)}
    live = []
    for equation in reversed(parts.equations):
        if equation.effects or not read.isdisjoint(equation.outvars):
            live.append(equation)
            read.update(atom for atom in equation.invars if not is_literal(atom))
    return live[::-1]


def bind(equation: Any, arrays: Sequence[Any], changed: Mapping[str, Any] | None = None) -> list[Any]:
    """Run an equation's primitive on other arrays, with some parameters changed; always a list of results."""
    result = equation.primitive.get_bind_params(equation.params)
    # JAX before 0.10 gives the functions of a call primitive apart from its parameters.
    functions, parameters = result if isinstance(result, tuple) else ((), result)
    outputs = equation.primitive.bind(*functions, *arrays, **{**parameters, **(changed or {})})
    return list(outputs) if equation.primitive.multiple_results else [outputs]


def is_jaxpr(value: Any) -> bool:
    """Whether a parameter of an equation is a jaxpr of any kind."""
    return (hasattr(value, "eqns") and hasattr(value, "outvars")) or hasattr(getattr(value, "jaxpr", None), "eqns")


def is_dimension(value: Any) -> bool:
    """Whether a parameter of an equation is a symbolic dimension (``jax/_src/export/shape_poly.py`` ``_DimExpr``)."""
    return hasattr(value, "scope") and hasattr(value, "_evaluate")


def inner_jaxprs(equation: Any) -> Iterator[Any]:
    """Every jaxpr among an equation's parameters."""
    return (found for value in equation.params.values() for found in _leaves(value) if is_jaxpr(found))


def equation_has_symbolic_dimension(equation: Any) -> bool:
    """Whether a symbolic dimension occurs in an equation: in a shape, in a parameter, or inside an inner jaxpr."""
    if any(_aval_has_symbolic_dimension(atom.aval) for atom in (*equation.invars, *equation.outvars)):
        return True
    return any(
        is_dimension(found) or (is_jaxpr(found) and jaxpr_has_symbolic_dimension(found))
        for value in equation.params.values()
        for found in _leaves(value)
    )


def jaxpr_has_symbolic_dimension(jaxpr: Any) -> bool:
    """Whether a symbolic dimension occurs anywhere in a jaxpr; remembered as long as the jaxpr lives."""
    known = _symbolic_of_jaxpr.get(id(jaxpr))
    if known is not None and known[0]() is jaxpr:
        return known[1]
    parts = JaxprParts(jaxpr)
    variables = (*parts.captured_variables, *parts.inputs, *parts.outputs)
    found = any(_aval_has_symbolic_dimension(variable.aval) for variable in variables)
    found = found or any(map(equation_has_symbolic_dimension, parts.equations))
    identity = id(jaxpr)
    _symbolic_of_jaxpr[identity] = (weakref.ref(jaxpr, lambda _: _symbolic_of_jaxpr.pop(identity, None)), found)
    return found


def primitive_names(jaxpr: Any) -> set[str]:
    """The names of all primitives in a jaxpr, inner jaxprs included."""
    names: set[str] = set()
    for equation in JaxprParts(jaxpr).equations:
        names.add(equation.primitive.name)
        for inner in inner_jaxprs(equation):
            names |= primitive_names(inner)
    return names


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _aval_has_symbolic_dimension(aval: Any) -> bool:
    return any(not isinstance(size, (int, np.integer)) for size in getattr(aval, "shape", ()))
