"""The values that the parameters of a traced function take when a trace starts."""

from __future__ import annotations

import ast

from stagelight.lint.annotations import Annotated, annotated_kind
from stagelight.lint.definitions import FunctionDefinition
from stagelight.lint.function_calls import instance_of
from stagelight.lint.machine import Machine
from stagelight.lint.pytree_classes import is_pytree_class
from stagelight.lint.scope import Scope
from stagelight.lint.values import STATIC, UNKNOWN, Array, Instance, Maybe, Tree, Value


def entry_scope(
    machine: Machine,
    function: FunctionDefinition,
    *,
    statics: frozenset[str] = frozenset(),
    unmapped: frozenset[str] = frozenset(),
    is_filtered: bool = False,
    is_assumed: bool = False,
    is_decorated: bool = False,
    parent: Scope | None = None,
) -> Scope:
    """Return the scope in which the body of an entry point is interpreted.

    Args:
        machine: the machine that will interpret it.
        function: the entry point.
        statics: parameters that are static.
        unmapped: parameters that ``vmap`` does not map.
        is_filtered: whether arguments that are not arrays are static by themselves.
        is_decorated: whether every caller goes through the trace; others may call the function as it is.
        is_assumed: whether the trace is only assumed, so that no parameter is proved to be an array.
        parent: the scope that the function closes over.
    """
    parameters = function.parameters
    scope = Scope(parent)
    for node in parameters.nodes:
        name = node.arg
        if name in statics:
            scope.names[name] = STATIC
        elif name in unmapped:
            scope.names[name] = UNKNOWN
        else:
            is_loose = is_filtered or is_assumed
            value = _parameter(machine, function, node, name in parameters.defaults, is_loose=is_loose)
            is_flag = isinstance(value, Maybe) and value.is_flag
            scope.names[name] = Maybe(frozenset([name])) if is_flag and not is_decorated else value
    if parameters.star:
        origins = frozenset([parameters.star])
        is_loose = is_filtered or is_assumed
        scope.names[parameters.star] = Maybe(origins) if is_loose else Tree(origins, is_full=True)
    if parameters.double_star:
        scope.names[parameters.double_star] = Maybe(frozenset([parameters.double_star]))
    if function.takes_self and function.owner is not None:
        name = parameters.positional[0]
        is_traced = name not in statics and is_pytree_class(machine, function.owner)
        scope.names[name] = Instance(function.owner, frozenset([name]), is_traced=is_traced)
    scope.is_traced = True
    return scope


def _parameter(
    machine: Machine, function: FunctionDefinition, node: ast.arg, has_default: bool, *, is_loose: bool
) -> Value:
    origins = frozenset([node.arg])
    kind = annotated_kind(node.annotation)
    match kind:
        case Annotated.ARRAY | Annotated.HOST_ARRAY:
            return Array(origins) if kind is Annotated.ARRAY or not is_loose else Maybe(origins)
        case Annotated.SCALAR:
            if is_loose:
                return UNKNOWN
            return Maybe(origins, is_flag=True) if has_default else Array(origins)
        case Annotated.STRING:
            return STATIC
        case Annotated.CLASS if node.annotation is not None:
            return instance_of(machine, function, node.annotation, Maybe(origins)) or Maybe(origins)
        case Annotated.NOTHING if not has_default and not is_loose:
            return Tree(origins, is_parameter=True, is_full=True)
        case Annotated.CONTAINER if not has_default and not is_loose:
            return Tree(origins, is_full=True)
        case _:
            return Maybe(origins)
