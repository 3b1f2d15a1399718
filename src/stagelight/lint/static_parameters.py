"""Which parameters ``static_argnums`` and ``static_argnames`` make static."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import msgspec

from stagelight.lint.definitions import FunctionDefinition
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context

if TYPE_CHECKING:
    from stagelight.lint.machine import Machine

_NUMBER_KEYWORDS = ("static_argnums", "static_broadcasted_argnums")


class StaticParameters(msgspec.Struct, frozen=True, eq=False):
    """Names of static parameters, what was named but does not exist, and whether all of it could be read."""

    names: frozenset[str] = frozenset()
    misnamed: tuple[tuple[ast.expr, str | int], ...] = ()
    is_complete: bool = True


def static_parameters(
    machine: Machine,
    keywords: tuple[ast.keyword, ...],
    function: FunctionDefinition,
    scope: Scope,
    context: Context,
    *,
    is_bound: bool = False,
) -> StaticParameters:
    """Read the static parameters from the keywords of a ``jit``.

    Follows ``infer_argnums_and_argnames`` and ``_validate_argnums`` in ``jax/_src/api_util.py``.
    """
    parameters = function.parameters
    positional = parameters.positional[1:] if is_bound else parameters.positional
    names: set[str] = set()
    misnamed: list[tuple[ast.expr, str | int]] = []
    is_complete = True
    for keyword in keywords:
        if keyword.arg is None:
            is_complete = False
        if keyword.arg not in ("static_argnames", *_NUMBER_KEYWORDS):
            continue
        listed = _literals(machine, keyword.value, scope, context)
        if listed is None:
            is_complete = False
            continue
        for item in listed:
            if isinstance(item, str):
                names.add(item)
                if item not in (*positional, *parameters.keyword_only) and parameters.double_star is None:
                    misnamed.append((keyword.value, item))
            elif -len(positional) <= item < len(positional):
                names.add(positional[item])
            elif parameters.star is None:
                misnamed.append((keyword.value, item))
    return StaticParameters(frozenset(names), tuple(misnamed), is_complete)


def _literals(machine: Machine, node: ast.expr, scope: Scope, context: Context) -> tuple[str | int, ...] | None:
    if isinstance(node, ast.Name):
        assigned = context.module.assigned.get(node.id, ())
        if scope.look_up(node.id) is not None or len(assigned) != 1:
            return None
        node = assigned[0]
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    literals = [_literal(part) for part in parts]
    if isinstance(node, ast.Constant) and node.value is None:
        return ()
    return tuple(item for item in literals if item is not None) if None not in literals else None


def _literal(node: ast.expr) -> str | int | None:
    match node:
        case ast.Constant(value=str() | int() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
        case _:
            return None
