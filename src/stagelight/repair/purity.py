"""Whether statements may be put into a branch or a loop of JAX, where both sides are traced and run at other times."""

import ast
from collections.abc import Sequence

from stagelight.repair.refusal import Refusal

_EFFECTS = frozenset({"print", "input", "open", "exec", "eval", "setattr", "delattr"})
_MUTATORS = frozenset(
    {"append", "extend", "add", "insert", "update", "pop", "remove", "clear", "setdefault", "write", "discard", "sort"}
)
_CONTROL = (
    ast.Global,
    ast.Nonlocal,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.Try,
    ast.With,
    ast.Import,
    ast.ImportFrom,
    ast.Delete,
    ast.Break,
    ast.Continue,
    ast.FunctionDef,
    ast.ClassDef,
)
_STATEFUL = ("np.random", "numpy.random", "random.", "time.", "onp.random")


def require_pure(statements: Sequence[ast.stmt], where: str) -> None:
    """Check that statements compute values and do nothing else.

    Args:
        statements: What would move.
        where: What it is, for the reason: ``the if branch``.

    Raises:
        Refusal: They do something else.
    """
    for node in (n for s in statements for n in ast.walk(s)):
        reason = _reason(node)
        if reason:
            raise Refusal(f"{where} {reason}")


def _reason(node: ast.AST) -> str:
    if isinstance(node, ast.Raise | ast.Assert):
        return "raises: an exception cannot depend on traced data (jax.experimental.checkify can)"
    if isinstance(node, _CONTROL):
        return f"contains {type(node).__name__.lower()}, which has no place in a traced branch"
    if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
        return f"mutates {ast.unparse(node)}: both sides of a traced branch run, so it would always happen"
    return _reason_of_call(node) if isinstance(node, ast.Call) else ""


def _reason_of_call(node: ast.Call) -> str:
    text = ast.unparse(node.func)
    if text.startswith(_STATEFUL) and not text.startswith("random.key"):
        return f"draws from a stateful generator or clock: {text}"
    is_effect = isinstance(node.func, ast.Name) and node.func.id in _EFFECTS
    is_mutation = isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS and ".at[" not in text
    return f"has a side effect: {ast.unparse(node)[:60]}" if is_effect or is_mutation else ""


def effect_of_function(function: ast.FunctionDef) -> str:
    """A side effect anywhere in a function that forbids running it on trial inputs; prints are harmless there."""
    local = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in ast.walk(function):
        if isinstance(node, ast.Global | ast.Nonlocal):
            return f"it rebinds {', '.join(node.names)} outside itself"
        if isinstance(node, ast.Call):
            reason = _outside_effect(node, local)
            if reason:
                return reason
    return ""


def _outside_effect(node: ast.Call, local: set[str]) -> str:
    text = ast.unparse(node.func)
    if isinstance(node.func, ast.Name) and node.func.id in _EFFECTS - {"print"}:
        return f"it has a side effect: {text}"
    if text.startswith(("os.", "subprocess.", "shutil.", "sys.", "pathlib.", "socket.", "requests.")):
        return f"it has a side effect: {text}"
    if isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS and ".at[" not in text:
        root = node.func.value
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if isinstance(root, ast.Name) and root.id not in local:
            return f"it has a side effect: {text}"
    return ""
