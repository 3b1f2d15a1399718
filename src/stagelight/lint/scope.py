"""Names and their abstract values, one scope per function being interpreted.

``loops`` are the Python loops around the place, innermost last; ``is_traced`` says whether the function runs inside a
trace; ``returns`` collects the values that the function returns, and is shared by all branches.
"""

from __future__ import annotations

import ast

from stagelight.lint.value_join import join
from stagelight.lint.values import Value


class Scope:
    """The names of one function at one point of its flow; ``parent`` is the scope it closes over."""

    __slots__ = ("global_names", "is_traced", "loops", "names", "nonlocal_names", "parent", "returns")

    def __init__(self, parent: Scope | None = None, names: dict[str, Value] | None = None) -> None:
        self.parent = parent
        self.names: dict[str, Value] = {} if names is None else names
        self.global_names: frozenset[str] = frozenset()
        self.nonlocal_names: frozenset[str] = frozenset()
        self.loops: tuple[ast.AST, ...] = ()
        self.returns: list[Value] = []
        self.is_traced = False

    def look_up(self, name: str) -> Value | None:
        """Return the value of a name in this scope or one it closes over."""
        scope: Scope | None = self
        while scope is not None:
            value = scope.names.get(name)
            if value is not None:
                return None if name in scope.global_names else value
            scope = scope.parent
        return None

    def is_local(self, name: str) -> bool:
        """Whether the name belongs to the function itself."""
        return name in self.names and name not in self.global_names and name not in self.nonlocal_names

    def branch(self) -> Scope:
        """Return a copy in which one side of a branch is interpreted."""
        copy = Scope(self.parent, dict(self.names))
        copy.global_names = self.global_names
        copy.nonlocal_names = self.nonlocal_names
        copy.loops = self.loops
        copy.returns = self.returns
        copy.is_traced = self.is_traced
        return copy

    def become(self, other: Scope) -> None:
        """Take over the names of a branch that is the only one to go on."""
        self.names = other.names
        self.global_names = other.global_names
        self.nonlocal_names = other.nonlocal_names

    def merge(self, left: Scope, right: Scope) -> None:
        """Join two branches; a name set on one side only keeps that side's value."""
        merged = dict(left.names)
        for name, value in right.names.items():
            mine = merged.get(name)
            merged[name] = value if mine is None or mine is value else join(mine, value)
        self.names = merged
        self.global_names = left.global_names | right.global_names
        self.nonlocal_names = left.nonlocal_names | right.nonlocal_names
