"""Calls of ``jax.tree`` and its relatives: structure is known while tracing, leaves are data."""

from __future__ import annotations

from stagelight.lint.arguments import Arguments
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.transformed_calls import call_value
from stagelight.lint.values import (
    METADATA,
    STATIC,
    UNKNOWN,
    Array,
    Closure,
    Instance,
    Maybe,
    Partial,
    Sequence,
    Tree,
    Value,
    may_hold_data,
    origins_of,
)

_MAPS = frozenset(["map", "tree_map", "map_with_path", "tree_map_with_path", "tree_map_params"])


def call_tree(machine: Machine, name: str, arguments: Arguments, scope: Scope, context: Context) -> Value:
    """Return what a function over pytrees returns."""
    last = name.rpartition(".")[2]
    values = arguments.all()
    holds_data = any(may_hold_data(value) or isinstance(value, Instance) for value in values)
    if last in _MAPS:
        _call_on_leaves(machine, last, arguments, scope, context)
        return Tree(origins_of(*values)) if holds_data else UNKNOWN
    if last in ("leaves", "tree_leaves"):
        return Tree(origins_of(*values)) if holds_data else UNKNOWN
    if last in ("structure", "tree_structure", "treedef_is_leaf", "treedef_children", "all_leaves"):
        return METADATA
    if last in ("flatten", "tree_flatten"):
        return Sequence((Tree(origins_of(*values)) if holds_data else UNKNOWN, METADATA))
    return Maybe(origins_of(*values)) if holds_data else UNKNOWN


def _call_on_leaves(machine: Machine, last: str, arguments: Arguments, scope: Scope, context: Context) -> None:
    if not arguments.positional or not context.is_traced:
        return
    function, *trees = arguments.positional
    if isinstance(function, (Closure, Partial)):
        leaves = tuple(map(_leaf, trees))
        given = (STATIC, *leaves) if "path" in last else leaves
        call_value(machine, function, Arguments(given), context, None, scope)


def _leaf(tree: Value) -> Value:
    if isinstance(tree, Array):
        return tree
    return Tree(origins_of(tree)) if may_hold_data(tree) or isinstance(tree, Instance) else UNKNOWN
