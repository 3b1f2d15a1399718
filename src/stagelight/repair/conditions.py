"""Which conditions of the original a rewrite changes: each of them must be driven both ways."""

import ast

from stagelight.repair.failing import Failing
from stagelight.repair.predicates import is_logical
from stagelight.repair.reference import Range, range_of
from stagelight.repair.source_text import SourceText


def condition_around(failing: Failing) -> ast.expr | None:
    """The condition that holds the failing expression: of a statement, or a logical expression by itself."""
    node: ast.AST = failing.node
    whole = node if is_logical(node) else None
    for parent in failing.source.ancestors(failing.node):
        if getattr(parent, "test", None) is node and isinstance(node, ast.expr):
            return node
        if not isinstance(parent, ast.expr):
            break
        whole = parent if is_logical(parent) else whole
        node = parent
    return whole if isinstance(whole, ast.expr) else None


def nested_tests(owner: ast.AST, test: ast.expr, source: SourceText) -> dict[Range, str]:
    """Conditions in the branches of a statement whose condition is rewritten: they may be rewritten with it."""
    if getattr(owner, "test", None) is not test or not isinstance(owner, ast.If | ast.IfExp):
        return {}
    inner = [n.test for n in ast.walk(owner) if isinstance(n, ast.If | ast.IfExp) and n is not owner]
    return {range_of(t): source.text_of(t) for t in inner}
