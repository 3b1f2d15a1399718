"""Functions of Equinox that take pytrees apart and put them together."""

from __future__ import annotations

import ast

from stagelight.lint.arguments import Arguments
from stagelight.lint.leafwise import OMEGA
from stagelight.lint.proved_times import holds_tracer
from stagelight.lint.tracing_context import Context
from stagelight.lint.values import METADATA, UNKNOWN, Array, Closure, Instance, LeafWise, Sequence, Value, origins_of
from stagelight.lint.word_list import names

_PASSES_ON = names(
    "filter error_if apply_updates nondifferentiable nondifferentiable_backward nontraceable noinline "
    "filter_closure_convert filter_shard announce_transform announce_jaxpr branched_error_if buffer_at_set "
    "eval_zero eval_empty nextafter prevbefore"
)
"""Functions that give back their first argument with the same leaves being data."""

_QUESTIONS = names("is_array is_array_like is_inexact_array is_inexact_array_like tree_equal tree_check")


def _replaced(arguments: Arguments) -> Value:
    """Return what ``tree_at`` gives: the object with the attributes replaced that its first argument names."""
    where, tree = arguments.get(0, "where"), arguments.get(1, "pytree")
    replace = arguments.get(2, "replace")
    if not isinstance(tree, Instance) or tree.fields is None:
        return tree if tree is not None and holds_tracer(tree) else UNKNOWN
    paths = _attributes_named_by(where)
    if paths is None:
        return UNKNOWN
    is_list = len(paths) == 1 and not isinstance(replace, Sequence)
    given = (replace,) if is_list else replace.items if isinstance(replace, Sequence) else ()
    fields = dict(tree.fields)
    for place, path in enumerate(paths):
        is_whole = len(path) == 1 and len(given) == len(paths)
        value = given[place] if is_whole else None
        fields[path[0]] = UNKNOWN if value is None else value
    return Instance(tree.definition, tree.origins, tree.is_traced, fields)


def _attributes_named_by(where: Value | None) -> list[list[str]] | None:
    if not isinstance(where, Closure) or not isinstance(where.function.node, ast.Lambda):
        return None
    body = where.function.node.body
    nodes = body.elts if isinstance(body, (ast.Tuple, ast.List)) else [body]
    paths = [_attribute_path(node) for node in nodes]
    return None if any(not path for path in paths) else paths


def _attribute_path(node: ast.expr) -> list[str]:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return names if isinstance(node, ast.Name) else []


def call_equinox(name: str, arguments: Arguments, context: Context) -> Value:
    """Return what a function of Equinox returns; Unknown for what is not listed here."""
    last = name.rpartition(".")[2]
    first = arguments.positional[0] if arguments.positional else UNKNOWN
    if not context.is_staged:
        return UNKNOWN
    if name == OMEGA:
        return LeafWise(first)
    if last in _QUESTIONS:
        return METADATA
    if last in ("unvmap_any", "unvmap_all", "unvmap_max", "unvmap_array"):
        return Array(origins_of(*arguments.all()))
    if last == "nonbatchable" or last in _PASSES_ON:
        return first
    if last == "tree_at":
        return _replaced(arguments)
    if last == "partition":
        # The second part holds what is left: it is static where the filter asks for arrays, but need not be.
        return Sequence((first if holds_tracer(first) else UNKNOWN, UNKNOWN))
    if last == "combine":
        return next((value for value in arguments.positional if holds_tracer(value)), UNKNOWN)
    return UNKNOWN
