"""Statements that are neither branches nor loops."""

from __future__ import annotations

import ast

from stagelight.lint.annotations import certainly_array
from stagelight.lint.arithmetic import combine
from stagelight.lint.assignment import assign
from stagelight.lint.branches import narrow, truth
from stagelight.lint.definitions import FunctionDefinition
from stagelight.lint.entries import enter_local_function
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.values import NONE, UNKNOWN, Array, Closure, Maybe, Tree, Unknown, origins_of


def execute_function(
    machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, context: Context
) -> bool:
    """Bind a local function; module-level ones are found through the module's index."""
    if context.function is None:
        return False
    function = FunctionDefinition(node, context.module, scope=scope)
    scope.names[node.name] = Closure(function, scope, is_local=True)
    enter_local_function(machine, function, scope, context)
    return False


def execute_class(machine: Machine, node: ast.ClassDef, scope: Scope, context: Context) -> bool:
    """Bind a local class to nothing that is known."""
    if context.function is not None:
        scope.names[node.name] = UNKNOWN
    return False


def execute_return(machine: Machine, node: ast.Return, scope: Scope, context: Context) -> bool:
    """Collect a returned value."""
    scope.returns.append(NONE if node.value is None else machine.evaluate(node.value, scope, context))
    return True


def execute_raise(machine: Machine, node: ast.Raise, scope: Scope, context: Context) -> bool:
    """End the flow; the message of an error may format tracers without harm to anyone but itself."""
    if node.exc is not None:
        machine.evaluate(node.exc, scope, context.quieted())
    return True


def execute_jump(machine: Machine, node: ast.stmt, scope: Scope, context: Context) -> bool:
    """End the flow at ``break`` and ``continue``."""
    return True


def execute_assignment(machine: Machine, node: ast.Assign, scope: Scope, context: Context) -> bool:
    """``a = b = value``."""
    value = machine.evaluate(node.value, scope, context)
    for target in node.targets:
        assign(machine, target, value, scope, context)
    return False


def execute_annotated(machine: Machine, node: ast.AnnAssign, scope: Scope, context: Context) -> bool:
    """``a: Array = value``; the annotation decides where the value alone does not."""
    if node.value is not None:
        value = machine.evaluate(node.value, scope, context)
        undecided = isinstance(value, (Unknown, Maybe, Tree))
        if undecided and context.is_staged and certainly_array(node.annotation):
            value = Array(origins_of(value))
        assign(machine, node.target, value, scope, context)
    return False


def execute_augmented(machine: Machine, node: ast.AugAssign, scope: Scope, context: Context) -> bool:
    """``a += value``."""
    value = machine.evaluate(node.value, scope, context)
    load = _as_load(node.target)
    before = machine.evaluate(load, scope, context)
    assign(machine, node.target, combine(before, value, node.op, context), scope, context)
    return False


def _as_load(target: ast.Name | ast.Attribute | ast.Subscript) -> ast.expr:
    match target:
        case ast.Name():
            load: ast.expr = ast.Name(target.id, ast.Load())
        case ast.Attribute():
            load = ast.Attribute(target.value, target.attr, ast.Load())
        case ast.Subscript():
            load = ast.Subscript(target.value, target.slice, ast.Load())
    return ast.copy_location(load, target)


def execute_expression(machine: Machine, node: ast.Expr, scope: Scope, context: Context) -> bool:
    """An expression for its effects; ``concrete_or_error`` of a tracer raises its own message."""
    machine.evaluate(node.value, scope, context)
    match node.value:
        case ast.Call(
            func=ast.Attribute(attr="concrete_or_error") | ast.Name(id="concrete_or_error"), args=[_, asked, *_]
        ):
            return context.is_staged and isinstance(machine.evaluate(asked, scope, context.quieted()), (Array, Tree))
        case _:
            return False


def execute_assert(machine: Machine, node: ast.Assert, scope: Scope, context: Context) -> bool:
    """``assert test``."""
    truth(machine, node.test, scope, context, "assert")
    narrow(machine, node.test, scope, context, holds=True)
    return False


def execute_global(machine: Machine, node: ast.Global, scope: Scope, context: Context) -> bool:
    """``global name``."""
    scope.global_names |= set(node.names)
    return False


def execute_nonlocal(machine: Machine, node: ast.Nonlocal, scope: Scope, context: Context) -> bool:
    """``nonlocal name``."""
    scope.nonlocal_names |= set(node.names)
    return False


def execute_import(machine: Machine, node: ast.Import | ast.ImportFrom, scope: Scope, context: Context) -> bool:
    """An import inside a function."""
    if context.function is not None:
        for name, dotted in context.module.bindings_of_import(node):
            if name != "*":
                scope.names[name] = machine.external(dotted)
    return False


def execute_delete(machine: Machine, node: ast.Delete, scope: Scope, context: Context) -> bool:
    """``del name``."""
    for target in node.targets:
        if isinstance(target, ast.Name):
            scope.names.pop(target.id, None)
    return False
