"""Side effects of Python that run while tracing and will not run again."""

import ast
import builtins
import logging
import types
from collections.abc import Mapping

from stagelight.staging.expression import Expression
from stagelight.staging.expression_rewriting import as_written
from stagelight.staging.frame_view import FrameView

_BUILTINS = frozenset({"print", "input", "open"})
_MODULES = frozenset({"time", "random", "logging", "warnings", "datetime", "secrets", "uuid", "numpy.random"})
_MUTATORS = frozenset(
    {"append", "extend", "add", "update", "insert", "setdefault", "pop", "remove", "clear", "discard", "write"}
)


def is_side_effect(expression: Expression, view: FrameView, expressions: Mapping[int, Expression]) -> bool:
    """Whether a call that just returned did something outside the program that is being traced."""
    if not isinstance(expression.node, ast.Call):
        return False
    if expression.owner is None:
        return _is_effectful_name(expression.name, view)
    owner = view.values.get(expression.owner)
    if isinstance(owner, types.ModuleType):
        return owner.__name__ in _MODULES
    if isinstance(owner, logging.Logger) or type(owner).__module__ in _MODULES:
        return True
    if isinstance(owner, type):
        return owner.__module__ in _MODULES
    is_mutation = expression.name in _MUTATORS and isinstance(owner, list | dict | set)
    return is_mutation and _is_from_outside(expression, view, expressions)


def _is_effectful_name(name: str, view: FrameView) -> bool:
    frame = view.frame
    called = frame.f_locals.get(name, frame.f_globals.get(name, getattr(builtins, name, None)))
    if name in _BUILTINS:
        return called is getattr(builtins, name)
    return getattr(called, "__module__", None) in _MODULES and not isinstance(called, type)


def _is_from_outside(expression: Expression, view: FrameView, expressions: Mapping[int, Expression]) -> bool:
    """Whether the container that a method changes was made outside this call."""
    root = expressions[expression.owner].node if expression.owner is not None else None
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = as_written(root.value)
    return isinstance(root, ast.Name) and root.id not in _made_here(view)


def _made_here(view: FrameView) -> frozenset[str]:
    """Names that are assigned in this call, its parameters not among them."""
    code = view.code
    parameters = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    return frozenset({*code.co_varnames, *code.co_cellvars} - parameters)
