"""The tables that say which function interprets which node of the syntax tree."""

from __future__ import annotations

import ast
from typing import Any

from stagelight.lint.arithmetic import evaluate_binary, evaluate_comparison, evaluate_unary
from stagelight.lint.attributes import evaluate_attribute
from stagelight.lint.branches import (
    evaluate_bool_operation,
    evaluate_conditional,
    execute_if,
    execute_match,
)
from stagelight.lint.calls import evaluate_call
from stagelight.lint.expressions import (
    evaluate_await,
    evaluate_constant,
    evaluate_dictionary,
    evaluate_lambda,
    evaluate_name,
    evaluate_not,
    evaluate_sequence,
    evaluate_set,
    evaluate_starred,
    evaluate_text,
    evaluate_walrus,
    evaluate_yield,
)
from stagelight.lint.guarded_blocks import execute_try, execute_with
from stagelight.lint.loops import evaluate_comprehension, execute_for, execute_while
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.statements import (
    execute_annotated,
    execute_assert,
    execute_assignment,
    execute_augmented,
    execute_class,
    execute_delete,
    execute_expression,
    execute_function,
    execute_global,
    execute_import,
    execute_jump,
    execute_nonlocal,
    execute_raise,
    execute_return,
)
from stagelight.lint.subscripts import evaluate_subscript
from stagelight.lint.tracing_context import Context
from stagelight.lint.values import Value


def _evaluate_unary(machine: Machine, node: ast.UnaryOp, scope: Scope, context: Context) -> Value:
    evaluate = evaluate_not if isinstance(node.op, ast.Not) else evaluate_unary
    return evaluate(machine, node, scope, context)


# Each function takes its own class of node; the tables pair them, which a type checker cannot follow.
EXPRESSIONS: dict[type[ast.expr], Any] = {
    ast.Constant: evaluate_constant,
    ast.Name: evaluate_name,
    ast.Attribute: evaluate_attribute,
    ast.Call: evaluate_call,
    ast.Subscript: evaluate_subscript,
    ast.BinOp: evaluate_binary,
    ast.UnaryOp: _evaluate_unary,
    ast.Compare: evaluate_comparison,
    ast.BoolOp: evaluate_bool_operation,
    ast.IfExp: evaluate_conditional,
    ast.Tuple: evaluate_sequence,
    ast.List: evaluate_sequence,
    ast.Set: evaluate_set,
    ast.Dict: evaluate_dictionary,
    ast.JoinedStr: evaluate_text,
    ast.Lambda: evaluate_lambda,
    ast.ListComp: evaluate_comprehension,
    ast.SetComp: evaluate_comprehension,
    ast.GeneratorExp: evaluate_comprehension,
    ast.DictComp: evaluate_comprehension,
    ast.NamedExpr: evaluate_walrus,
    ast.Starred: evaluate_starred,
    ast.Await: evaluate_await,
    ast.Yield: evaluate_yield,
    ast.YieldFrom: evaluate_yield,
}

STATEMENTS: dict[type[ast.stmt], Any] = {
    ast.Assign: execute_assignment,
    ast.AnnAssign: execute_annotated,
    ast.AugAssign: execute_augmented,
    ast.Expr: execute_expression,
    ast.Return: execute_return,
    ast.If: execute_if,
    ast.For: execute_for,
    ast.AsyncFor: execute_for,
    ast.While: execute_while,
    ast.With: execute_with,
    ast.AsyncWith: execute_with,
    ast.Try: execute_try,
    ast.TryStar: execute_try,
    ast.Match: execute_match,
    ast.Raise: execute_raise,
    ast.Assert: execute_assert,
    ast.Break: execute_jump,
    ast.Continue: execute_jump,
    ast.FunctionDef: execute_function,
    ast.AsyncFunctionDef: execute_function,
    ast.ClassDef: execute_class,
    ast.Global: execute_global,
    ast.Nonlocal: execute_nonlocal,
    ast.Import: execute_import,
    ast.ImportFrom: execute_import,
    ast.Delete: execute_delete,
}
