"""The closed list of edits that need no execution: each is proved by running both sides on a corpus in the tests.

- a tuple for a list that is written out as a static argument;
- ``frozen=True`` for a dataclass whose objects are never changed in its module;
- a ``jit`` of a stable function, moved before its loop: see ``hoisting.py``.
"""

import ast

from stagelight.lint.definitions import ClassDefinition
from stagelight.lint.spans import span_of
from stagelight.model.finding import Edit, Span


def tuple_for_list(node: ast.expr) -> tuple[Edit, ...]:
    """Return the edit that turns ``[a, b]`` into ``(a, b)``, when its items are themselves hashable literals."""
    if not isinstance(node, ast.List) or not all(_is_hashable(element) for element in node.elts):
        return ()
    comma = "," if len(node.elts) == 1 else ""
    line, column = node.lineno, node.col_offset
    end_line, end_column = node.end_lineno or line, node.end_col_offset or column
    return (
        Edit(span=_stretch(line, column, 1), text="("),
        Edit(span=_stretch(end_line, end_column - 1, 1), text=f"{comma})"),
    )


def _is_hashable(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return True
    return isinstance(node, ast.Tuple) and all(map(_is_hashable, node.elts))


def frozen_dataclass(definition: ClassDefinition, decorator: ast.expr) -> tuple[Edit, ...]:
    """Return the edit that freezes a dataclass, when nothing in its module assigns to an attribute of such a name."""
    if _is_changed(definition):
        return ()
    span = span_of(decorator, definition.module.lines)
    if not isinstance(decorator, ast.Call):
        return (Edit(span=_empty_at_end(span), text="(frozen=True)"),)
    if decorator.args:
        return ()
    text = "frozen=True, " if decorator.keywords else "frozen=True"
    after_parenthesis = span_of(decorator.func, definition.module.lines)
    start = _stretch(after_parenthesis.end_line, after_parenthesis.end_column, 0)
    lines = definition.module.lines
    if lines[start.line - 1][start.column - 2 : start.column - 1] != "(":
        return ()
    return (Edit(span=start, text=text),)


def _is_changed(definition: ClassDefinition) -> bool:
    fields = set(definition.fields)
    for node in ast.walk(definition.module.tree):
        is_store = isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del))
        if is_store and isinstance(node, ast.Attribute) and node.attr in fields:
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("setattr", "delattr"):
            return True
    return any(isinstance(base, ast.Name) and base.id == definition.name for base in _bases(definition))


def _bases(definition: ClassDefinition) -> list[ast.expr]:
    return [base for other in definition.module.classes.values() for base in other.node.bases]


def _stretch(line: int, byte_offset: int, length: int) -> Span:
    column = byte_offset + 1
    return Span(line=line, column=column, end_line=line, end_column=column + length)


def _empty_at_end(span: Span) -> Span:
    return Span(line=span.end_line, column=span.end_column, end_line=span.end_line, end_column=span.end_column)
