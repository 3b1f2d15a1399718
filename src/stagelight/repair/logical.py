"""``and``, ``or``, ``not``, chains and membership outside a condition → operations of ``jax.numpy``."""

import ast

from stagelight.repair.failing import Failing
from stagelight.repair.predicates import is_logical, predicate_text
from stagelight.repair.refusal import NotApplicable, Refusal

_SMALLEST = {"max": "maximum", "min": "minimum"}


def logical_with_jnp(failing: Failing) -> str:
    """Rewrite the failing logical expression, or ``min`` and ``max`` of two.

    Raises:
        Refusal: The failing expression is neither, or it is the condition of a statement.
    """
    node = failing.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SMALLEST:
        return _pairwise(failing, node)
    whole = node if is_logical(node) else None
    for parent in failing.source.ancestors(node):
        if not is_logical(parent):
            break
        whole = parent
    if whole is None:
        reason = "the failing expression is no and, or, not or chain"
        raise NotApplicable(reason)
    parent = failing.source.parents[whole]
    if isinstance(parent, ast.If | ast.While | ast.IfExp | ast.Assert) and parent.test is whole:
        reason = "it is the condition of a statement"
        raise NotApplicable(reason)
    return failing.source.with_node(whole, predicate_text(whole, failing.source, failing.names))


def _pairwise(failing: Failing, node: ast.Call) -> str:
    if len(node.args) != 2 or node.keywords:
        reason = "only min and max of two values have one operation"
        raise Refusal(reason)
    first, second = (failing.source.text_of(a) for a in node.args)
    function = _SMALLEST[node.func.id]
    return failing.source.with_node(node, f"{failing.names.numpy}.{function}({first}, {second})")
