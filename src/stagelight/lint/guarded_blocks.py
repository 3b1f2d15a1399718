"""``with`` and ``try``: blocks that compute eagerly, or whose errors are expected."""

from __future__ import annotations

import ast

from stagelight.lint.branches import come_together, last_name_of
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.values import UNKNOWN

_QUIETING_CONTEXTS = (
    "ensure_compile_time_eval",
    "disable_jit",
    "eval_context",
    "raises",
    "assertRaises",
    "assertWarns",
)
_QUIETING_ERRORS = ("Exception", "TypeError", "BaseException", "JAXTypeError", "AttributeError", "ValueError")


def execute_with(machine: Machine, node: ast.With | ast.AsyncWith, scope: Scope, context: Context) -> bool:
    """``with``: blocks that compute eagerly, or expect an error, are not reported on."""
    for item in node.items:
        machine.evaluate(item.context_expr, scope, context)
        call = item.context_expr
        name = last_name_of(call.func) if isinstance(call, ast.Call) else ""
        if name.startswith(_QUIETING_CONTEXTS):
            context = context.quieted()
        if name.startswith("ensure_compile_time_eval"):
            context = context.evaluating()
        if item.optional_vars is not None:
            for target in ast.walk(item.optional_vars):
                if isinstance(target, ast.Name):
                    scope.names[target.id] = UNKNOWN
    return machine.execute(node.body, scope, context)


def execute_try(machine: Machine, node: ast.Try | ast.TryStar, scope: Scope, context: Context) -> bool:
    """``try``: a block whose handler takes tracer errors is not reported on."""
    caught = [
        last_name_of(t)
        for h in node.handlers
        for t in (ast.walk(h.type) if h.type is not None else [ast.Name("Exception")])
    ]
    quiet = any(name in _QUIETING_ERRORS or "Tracer" in name or "Concret" in name for name in caught)
    tried = scope.branch()
    ended = machine.execute(node.body, tried, context.quieted() if quiet else context)
    if not ended:
        ended = machine.execute(node.orelse, tried, context)
    sides = [] if ended else [tried]
    for handler in node.handlers:
        side = scope.branch()
        if handler.name:
            side.names[handler.name] = UNKNOWN
        if not machine.execute(handler.body, side, context):
            sides.append(side)
    if not sides:
        machine.execute(node.finalbody, scope, context)
        return True
    come_together(scope, sides)
    return machine.execute(node.finalbody, scope, context)
