"""Parameters of control-flow and call primitives, which change their form between JAX versions.

Follows ``jax/_src/lax/control_flow/loops.py`` (``scan``: ``ft_in`` since 0.12, ``num_consts`` before),
``jax/_src/lax/control_flow/solves.py`` (``custom_linear_solve``) and ``jax/_src/hijax.py`` (``call_hi_primitive``).
"""

from collections.abc import Sequence
from typing import Any

import jax

_JAXPR_PARAMETERS = ("jaxpr", "call_jaxpr", "call", "fun_jaxpr", "callee")


def scan_operand_counts(parameters: dict[str, Any]) -> tuple[int, int]:
    """How many of a scan's operands are constants, and how many are carried."""
    if "ft_in" in parameters:
        constants, carried = (len(list(part)) for part in list(parameters["ft_in"].unpack())[:2])
        return constants, carried
    return parameters["num_consts"], parameters["num_carry"]


def called_jaxpr(equation: Any) -> Any:
    """The jaxpr that a call primitive runs."""
    found = (equation.params.get(name) for name in _JAXPR_PARAMETERS)
    return next(jaxpr for jaxpr in found if jaxpr is not None)


def expanded(equation: Any, specs: Sequence[jax.ShapeDtypeStruct]) -> Any:
    """The jaxpr that a high-level primitive stands for, traced for operands of these shapes."""
    primitive = equation.params["_prim"]

    def expand(*operands: Any) -> Any:
        if not hasattr(primitive, "in_tree"):
            return primitive.expand(*operands)
        return jax.tree.leaves(primitive.expand(*jax.tree.unflatten(primitive.in_tree, operands)))

    return jax.make_jaxpr(expand)(*specs)


def linear_solve(equation: Any, operands: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The jaxpr of a custom linear solve's ``solve`` and the operands that it takes."""
    lengths = equation.params["const_lengths"]
    start = 0
    for name in lengths._fields:
        length = getattr(lengths, name)
        if name == "solve":
            solve_operands = list(operands[start : start + length])
        start += length
    return equation.params["jaxprs"].solve, [*solve_operands, *operands[start:]]
