"""``np`` on traced values → ``jnp``; a NumPy table indexed by a traced value → an array of JAX; ``math`` → ``jnp``."""

import ast

import jax.numpy

from stagelight.repair.failing import Failing
from stagelight.repair.refusal import NotApplicable, Refusal


def numpy_with_jnp(failing: Failing) -> str:
    """Rewrite the failing use of NumPy or ``math``.

    Raises:
        Refusal: ``jax.numpy`` has nothing of that name, or the expression is no such use.
    """
    node = failing.node
    if isinstance(node, ast.Subscript):
        if isinstance(node.ctx, ast.Store):
            reason = "it stores into a NumPy array: make it an array of JAX and use .at[].set"
            raise Refusal(reason)
        table = failing.source.text_of(node.value)
        return failing.source.with_node(node.value, f"{failing.names.numpy}.asarray({table})")
    if isinstance(node, ast.Call):
        module, path = _function(node.func)
        if module in (failing.names.host_numpy, "math") and _exists(path):
            return failing.source.with_node(node.func, f"{failing.names.numpy}.{'.'.join(path)}")
        if module in (failing.names.host_numpy, "math"):
            raise Refusal(f"jax.numpy has no {'.'.join(path)}")
    reason = "the failing expression is no use of NumPy"
    raise NotApplicable(reason)


def _function(node: ast.expr) -> tuple[str, list[str]]:
    """Root and path of a dotted name: ``np.linalg.norm`` → ``np``, ``[linalg, norm]``."""
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.insert(0, node.attr)
        node = node.value
    return (node.id, path) if isinstance(node, ast.Name) else ("", path)


def _exists(path: list[str]) -> bool:
    found: object = jax.numpy
    for name in path:
        found = getattr(found, name, None)
    return callable(found)
