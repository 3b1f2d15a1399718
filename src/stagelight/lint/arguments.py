"""The arguments of one call, evaluated."""

from __future__ import annotations

import ast

import msgspec

from stagelight.lint.known_items import items_of
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.values import UNKNOWN, Mapping, Value


class Arguments(msgspec.Struct, frozen=True, eq=False):
    """Positional and keyword values; ``has_star`` when an argument list of unknown length was spread."""

    positional: tuple[Value, ...] = ()
    keywords: dict[str, Value] = {}
    has_star: bool = False

    def all(self) -> tuple[Value, ...]:
        """Return every value."""
        return (*self.positional, *self.keywords.values())

    def get(self, position: int, name: str) -> Value | None:
        """Return the argument that is passed by position or by name."""
        return self.positional[position] if position < len(self.positional) else self.keywords.get(name)


def evaluate_arguments(machine: Machine, node: ast.Call, scope: Scope, context: Context) -> Arguments:
    """Evaluate the arguments of a call from left to right."""
    positional: list[Value] = []
    has_star = False
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            spread = machine.evaluate(argument.value, scope, context)
            items = items_of(machine, spread)
            if items is not None:
                positional.extend(items)
            else:
                has_star = True
                positional.append(UNKNOWN)
        else:
            positional.append(machine.evaluate(argument, scope, context))
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = machine.evaluate(keyword.value, scope, context)
        if keyword.arg is None and isinstance(value, Mapping) and all(isinstance(key, str) for key, _ in value.items):
            keywords.update({str(key): held for key, held in value.items})
        elif keyword.arg is None:
            has_star = True
        else:
            keywords[keyword.arg] = value
    return Arguments(tuple(positional), keywords, has_star)


def keyword_node(node: ast.Call, name: str) -> ast.expr | None:
    """Return the expression of a keyword argument, or None."""
    return next((keyword.value for keyword in node.keywords if keyword.arg == name), None)
