"""Expressions that are neither operators, calls nor comprehensions."""

from __future__ import annotations

import ast

from stagelight.lint.assignment import assign
from stagelight.lint.branches import truth
from stagelight.lint.definitions import FunctionDefinition
from stagelight.lint.events import NumberNeeded
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.values import (
    METADATA,
    STATIC,
    UNKNOWN,
    Absent,
    Array,
    Closure,
    Mapping,
    Maybe,
    Sequence,
    Tree,
    Value,
    is_parameter,
    known_from_literal,
    literal_of,
    may_hold_data,
    origins_of,
)


def evaluate_constant(machine: Machine, node: ast.Constant, scope: Scope, context: Context) -> Value:
    """A literal."""
    return known_from_literal(node.value)


def evaluate_name(machine: Machine, node: ast.Name, scope: Scope, context: Context) -> Value:
    """A name: local, closed over, of the module, or builtin."""
    value = scope.look_up(node.id)
    return machine.global_value(context.module, node.id) if value is None else value


def evaluate_not(machine: Machine, node: ast.UnaryOp, scope: Scope, context: Context) -> Value:
    """``not a``."""
    value = truth(machine, node.operand, scope, context, "not")
    literal = literal_of(value)
    return METADATA if literal is Absent.LITERAL else known_from_literal(not literal)


def evaluate_text(machine: Machine, node: ast.JoinedStr, scope: Scope, context: Context) -> Value:
    """An f-string; only a format specification asks a value for its number."""
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = machine.evaluate(part.value, scope, context)
            if part.format_spec is not None and context.is_staged and (isinstance(value, Array) or is_parameter(value)):
                machine.emit(NumberNeeded(node=part.value, context=context, value=value, by="a format"))
    return STATIC


def evaluate_sequence(machine: Machine, node: ast.Tuple | ast.List, scope: Scope, context: Context) -> Value:
    """A tuple or list written out."""
    items: list[Value] = []
    for element in node.elts:
        if isinstance(element, ast.Starred):
            spread = machine.evaluate(element.value, scope, context)
            if not isinstance(spread, Sequence):
                rest = [machine.evaluate(e, scope, context) for e in node.elts if not isinstance(e, ast.Starred)]
                return Maybe(origins_of(spread, *rest)) if any(map(may_hold_data, (spread, *rest))) else UNKNOWN
            items.extend(spread.items)
        else:
            items.append(machine.evaluate(element, scope, context))
    return Sequence(tuple(items), isinstance(node, ast.List))


def evaluate_set(machine: Machine, node: ast.Set, scope: Scope, context: Context) -> Value:
    """A set written out."""
    for element in node.elts:
        machine.evaluate(element, scope, context)
    return UNKNOWN


def evaluate_dictionary(machine: Machine, node: ast.Dict, scope: Scope, context: Context) -> Value:
    """A dictionary written out; with literal keys its items stay known one by one."""
    for key in node.keys:
        if key is not None:
            machine.evaluate(key, scope, context)
    values = [machine.evaluate(value, scope, context) for value in node.values]
    if all(isinstance(key, ast.Constant) for key in node.keys):
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        return Mapping(tuple(dict(zip(keys, values, strict=True)).items()))
    return Maybe(origins_of(*values)) if any(map(may_hold_data, values)) else UNKNOWN


def evaluate_starred(machine: Machine, node: ast.Starred, scope: Scope, context: Context) -> Value:
    """``*a`` outside of a call or a display."""
    return machine.evaluate(node.value, scope, context)


def evaluate_lambda(machine: Machine, node: ast.Lambda, scope: Scope, context: Context) -> Value:
    """A function without a name."""
    return Closure(FunctionDefinition(node, context.module, scope=scope), scope, is_local=True)


def evaluate_walrus(machine: Machine, node: ast.NamedExpr, scope: Scope, context: Context) -> Value:
    """``(name := value)``."""
    value = machine.evaluate(node.value, scope, context)
    assign(machine, node.target, value, scope, context)
    return value


def evaluate_await(machine: Machine, node: ast.Await, scope: Scope, context: Context) -> Value:
    """``await a``."""
    machine.evaluate(node.value, scope, context)
    return UNKNOWN


def evaluate_yield(machine: Machine, node: ast.Yield | ast.YieldFrom, scope: Scope, context: Context) -> Value:
    """A yielded value counts as returned."""
    if node.value is not None:
        value = machine.evaluate(node.value, scope, context)
        scope.returns.append(Tree(origins_of(value)) if may_hold_data(value) else UNKNOWN)
    return UNKNOWN
