"""Functions as their decorators leave them, where the decorators are functions of the program."""

from __future__ import annotations

import ast
from collections.abc import Callable

from stagelight.lint.arguments import Arguments
from stagelight.lint.decorations import is_transparent
from stagelight.lint.definitions import FunctionDefinition
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.values import UNKNOWN, Closure, External, Value

type Call = Callable[[Machine, Value, Arguments, Context, ast.Call | None, Scope], Value]


def decorated(
    machine: Machine, function: FunctionDefinition, scope: Scope | None, context: Context, *, call: Call
) -> Value:
    """Return what the decorators of a function make of it; Unknown where one of them cannot be followed.

    ``call`` calls a value, for which decorated functions are needed in turn.
    """
    key = ("decorated", id(function.node), id(scope), context.stage)
    found = machine.notes.get(key)
    if not isinstance(found, Value):
        machine.notes[key] = UNKNOWN
        found = machine.notes[key] = _applied(machine, function, scope, context, call)
    return found


def _applied(
    machine: Machine, function: FunctionDefinition, scope: Scope | None, context: Context, call: Call
) -> Value:
    value: Value = Closure(function, scope, is_bare=True)
    around = scope or function.scope or Scope()
    reading = Context(module=function.module, stage=context.stage, is_quiet=True, depth=context.depth)
    for node in reversed(function.decorators):
        decorator = _value_of(machine, node, around, reading)
        if isinstance(decorator, External) and is_transparent(decorator.name):
            continue
        if not isinstance(decorator, Closure):
            return UNKNOWN
        value = call(machine, decorator, Arguments((value,)), reading, None, around)
    return value


def _value_of(machine: Machine, node: ast.expr, scope: Scope, context: Context) -> Value:
    target = node.func if isinstance(node, ast.Call) else node
    named = machine.evaluate(target, scope, context)
    if isinstance(named, External):
        return named
    return machine.evaluate(node, scope, context)
