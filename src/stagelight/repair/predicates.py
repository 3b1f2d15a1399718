"""Conditions as traced predicates: ``and``, ``or``, ``not``, chains and membership become operations on arrays."""

import ast
import functools

from stagelight.repair.names import JaxNames
from stagelight.repair.source_text import SourceText


def predicate_text(node: ast.expr, source: SourceText, names: JaxNames) -> str:
    """Text of a condition whose operands may all be traced; every operand is evaluated.

    >>> from stagelight.repair.source_text import SourceText
    >>> source = SourceText("ok = lo < x < hi and not done")
    >>> import jax.numpy as jnp
    >>> predicate_text(source.tree.body[0].value, source, JaxNames({"jnp": jnp}))
    'jnp.logical_and(jnp.logical_and(lo < x, x < hi), jnp.logical_not(done))'
    """
    operand = functools.partial(predicate_text, source=source, names=names)
    if isinstance(node, ast.BoolOp):
        function = "logical_and" if isinstance(node.op, ast.And) else "logical_or"
        return _folded(function, [operand(v) for v in node.values], names)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"{names.numpy}.logical_not({operand(node.operand)})"
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return _folded("logical_and", _links(node, source), names)
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        return _membership(node, source, names) or source.text_of(node)
    return source.text_of(node)


def is_logical(node: ast.AST) -> bool:
    """Whether a node asks Python for truth where an array operation would do."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    if isinstance(node, ast.Compare):
        return len(node.ops) > 1 or isinstance(node.ops[0], ast.In | ast.NotIn)
    return isinstance(node, ast.BoolOp)


def _folded(function: str, operands: list[str], names: JaxNames) -> str:
    return functools.reduce(lambda a, b: f"{names.numpy}.{function}({a}, {b})", operands)


def _links(node: ast.Compare, source: SourceText) -> list[str]:
    """The links of a chain, with the operators as written between the operands."""
    operands = [node.left, *node.comparators]
    symbols = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
    texts = [source.text_of(o) for o in operands]
    return [f"{a} {symbols.get(type(op), '==')} {b}" for a, op, b in zip(texts, node.ops, texts[1:], strict=False)]


def _membership(node: ast.Compare, source: SourceText, names: JaxNames) -> str:
    container = node.comparators[0]
    if not isinstance(container, ast.Tuple | ast.List | ast.Set) or not container.elts:
        return ""
    left = source.text_of(node.left)
    found = _folded("logical_or", [f"{left} == {source.text_of(e)}" for e in container.elts], names)
    return f"{names.numpy}.logical_not({found})" if isinstance(node.ops[0], ast.NotIn) else found
