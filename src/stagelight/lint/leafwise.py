"""Arithmetic on pytrees wrapped by ``equinox.internal.ω``: ``(x**ω + a * y**ω).ω``."""

from __future__ import annotations

import ast

from stagelight.lint.proved_times import holds_tracer
from stagelight.lint.values import (
    UNKNOWN,
    Array,
    External,
    LeafWise,
    Tree,
    Value,
    is_number,
    origins_of,
)

OMEGA = "equinox.internal.ω"


def combine_leafwise(left: Value, right: Value, op: ast.operator) -> Value | None:
    """Return the wrapped result of an operator, or None where neither side is wrapped."""
    if isinstance(op, ast.Pow) and isinstance(right, External) and right.name == OMEGA:
        return LeafWise(left)
    if not isinstance(left, LeafWise) and not isinstance(right, LeafWise):
        return None
    return LeafWise(_by_leaves(*(side.tree if isinstance(side, LeafWise) else side for side in (left, right))))


def _by_leaves(left: Value, right: Value) -> Value:
    sides = (left, right)
    if not any(map(holds_tracer, sides)):
        return UNKNOWN
    origins = origins_of(*sides)
    if all(isinstance(side, Array) or is_number(side) for side in sides):
        return Array(origins)
    is_full = all(isinstance(s, Array) or is_number(s) or (isinstance(s, Tree) and s.is_full) for s in sides)
    return Tree(origins, is_full=is_full)


def mapped_leafwise(value: LeafWise) -> LeafWise:
    """Return what ``.call(function)`` gives: other leaves in the same structure."""
    tree = value.tree
    return LeafWise(tree if isinstance(tree, Array) or (isinstance(tree, Tree) and tree.is_full) else UNKNOWN)
