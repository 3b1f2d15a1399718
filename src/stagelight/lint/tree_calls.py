"""Calls of ``jax.tree`` and its relatives: structure is known while tracing, leaves are data."""

from __future__ import annotations

from stagelight.lint.arguments import Arguments
from stagelight.lint.machine import Machine
from stagelight.lint.proved_times import holds_tracer
from stagelight.lint.pytree_classes import is_pytree_class
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.transformed_calls import call_value
from stagelight.lint.value_join import join_all
from stagelight.lint.values import (
    METADATA,
    NONE,
    STATIC,
    UNKNOWN,
    Absent,
    Array,
    Closure,
    DeviceArray,
    Instance,
    Known,
    Mapping,
    Maybe,
    Sequence,
    Tree,
    Value,
    is_none,
    is_number,
    literal_of,
    may_hold_data,
    origins_of,
)

_MAPS = frozenset(["map", "tree_map", "map_with_path", "tree_map_with_path", "tree_map_params"])


def call_tree(machine: Machine, name: str, arguments: Arguments, scope: Scope, context: Context) -> Value:
    """Return what a function over pytrees returns."""
    last = name.rpartition(".")[2]
    values = arguments.all()
    if last in _MAPS:
        return _mapped(machine, last, arguments, scope, context)
    if last in ("structure", "tree_structure", "treedef_is_leaf", "treedef_children", "all_leaves"):
        return METADATA
    leaves = _held(values)
    if last in ("leaves", "tree_leaves"):
        return leaves
    if last in ("flatten", "tree_flatten"):
        return Sequence((leaves, METADATA))
    if last in ("unflatten", "tree_unflatten"):
        return _held(values)
    if last in ("reduce", "tree_reduce"):
        return _reduced(machine, arguments, scope, context)
    return Maybe(origins_of(*values)) if _may_hold(*values) else UNKNOWN


def _may_hold(*values: Value) -> bool:
    return any(may_hold_data(value) or isinstance(value, Instance) for value in values)


def _held(values: tuple[Value, ...]) -> Value:
    """Return the leaves of some values together: data for certain only where one of them is."""
    if any(map(holds_tracer, values)):
        full = all(isinstance(v, Array) or (isinstance(v, Tree) and v.is_full) for v in values if may_hold_data(v))
        return Tree(origins_of(*values), is_full=full)
    return Maybe(origins_of(*values)) if _may_hold(*values) else UNKNOWN


def _reduced(machine: Machine, arguments: Arguments, scope: Scope, context: Context) -> Value:
    if len(arguments.positional) < 2 or not context.is_traced:
        return UNKNOWN
    function, tree = arguments.positional[:2]
    leaf = _leaf(tree)
    start = arguments.positional[2] if len(arguments.positional) > 2 else leaf
    result = call_value(machine, function, Arguments((start, leaf)), context, None, scope)
    again = call_value(machine, function, Arguments((result, leaf)), context, None, scope)
    # A tree without leaves gives back the start.
    return join_all(result, again) if holds_tracer(tree) else Maybe(origins_of(tree))


def _mapped(machine: Machine, last: str, arguments: Arguments, scope: Scope, context: Context) -> Value:
    if not context.is_traced or len(arguments.positional) < 2 or arguments.has_star:
        return Maybe(origins_of(*arguments.all())) if _may_hold(*arguments.all()) else UNKNOWN
    function, *trees = arguments.positional
    is_leaf = arguments.keywords.get("is_leaf", NONE)
    walk = _Walk(machine, function, scope, context, has_path="path" in last, is_leaf=is_leaf)
    return walk.over(tuple(trees))


class _Walk:
    """One ``tree.map``: calls the function on leaves, and keeps the structure where it is known."""

    def __init__(
        self,
        machine: Machine,
        function: Value,
        scope: Scope,
        context: Context,
        *,
        has_path: bool,
        is_leaf: Value,
    ) -> None:
        self.machine = machine
        self.function = function
        self.scope = scope
        self.context = context
        self.has_path = has_path
        self.is_leaf = is_leaf

    def over(self, trees: tuple[Value, ...]) -> Value:
        """Return the mapped tree; the first of the trees decides the structure."""
        first = trees[0]
        is_leaf = self._is_leaf(first)
        if is_leaf is False:
            match first:
                case Sequence():
                    rows = [self.over(self._parts(trees, i)) for i in range(len(first.items))]
                    return Sequence(tuple(rows), first.is_list)
                case Mapping():
                    pairs = [(key, self.over(self._parts(trees, i))) for i, (key, _) in enumerate(first.items)]
                    return Mapping(tuple(pairs))
                case Instance() if first.fields is not None and is_pytree_class(self.machine, first.definition):
                    held = {name: self._over_field(trees, i, name) for i, name in enumerate(first.fields)}
                    return Instance(first.definition, first.origins, first.is_traced, held)
                case Instance() if not is_pytree_class(self.machine, first.definition):
                    # An object that is no pytree is a leaf.
                    is_leaf = True
                case _ if is_none(first):
                    return NONE
                case _:
                    pass
        return self._at_leaves(trees, is_leaf=is_leaf)

    def _over_field(self, trees: tuple[Value, ...], position: int, name: str) -> Value:
        held = self._parts(trees, position)
        # Static fields belong to the structure.
        return held[0] if isinstance(held[0], (Closure, Known)) and not is_number(held[0]) else self.over(held)

    def _is_leaf(self, value: Value) -> bool | None:
        """Whether the user's ``is_leaf`` stops here; None where that is not certain."""
        if is_none(self.is_leaf):
            return False
        asked = _leaf(value) if isinstance(value, Tree) else value
        answer = call_value(self.machine, self.is_leaf, Arguments((asked,)), self.context.quieted(), None, self.scope)
        literal = literal_of(answer)
        return bool(literal) if literal is not Absent.LITERAL else None

    def _parts(self, trees: tuple[Value, ...], position: int) -> tuple[Value, ...]:
        return tuple(self._part(tree, position) for tree in trees)

    def _part(self, tree: Value, position: int) -> Value:
        if isinstance(tree, Instance) and tree.fields is not None:
            tree = Sequence(tuple(tree.fields.values()))
        if isinstance(tree, Mapping):
            tree = Sequence(tuple(value for _, value in tree.items))
        if isinstance(tree, Sequence):
            return tree.items[position] if position < len(tree.items) else UNKNOWN
        return tree if isinstance(tree, Tree) else UNKNOWN

    def _at_leaves(self, trees: tuple[Value, ...], *, is_leaf: bool | None) -> Value:
        first = trees[0]
        leaves = tuple(self._leaf(tree, is_leaf=is_leaf) for tree in trees)
        given = (STATIC, *leaves) if self.has_path else leaves
        result = call_value(self.machine, self.function, Arguments(given), self.context, None, self.scope)
        if is_leaf or isinstance(first, (Array, DeviceArray)) or is_number(first):
            return result
        origins = origins_of(*trees)
        if isinstance(first, Tree) and holds_tracer(result):
            is_full = isinstance(result, Array) or (isinstance(result, Tree) and result.is_full)
            return Tree(origins, is_full=is_full)
        return Maybe(origins) if _may_hold(*trees) and not isinstance(result, Known) else UNKNOWN

    def _leaf(self, tree: Value, *, is_leaf: bool | None) -> Value:
        if is_leaf is False:
            return _leaf(tree)
        # With leaves of its own kind, what comes in may be a whole subtree.
        return tree if is_leaf else Maybe(origins_of(tree)) if _may_hold(tree) else UNKNOWN


def _leaf(tree: Value) -> Value:
    if isinstance(tree, Array) or is_number(tree) or isinstance(tree, DeviceArray):
        return tree
    if isinstance(tree, Tree) and tree.is_full:
        return Array(tree.origins)
    if isinstance(tree, Sequence) and tree.items:
        return join_all(*map(_leaf, tree.items))
    return Maybe(origins_of(tree)) if _may_hold(tree) else UNKNOWN
