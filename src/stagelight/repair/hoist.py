"""``jax.jit(lambda …)`` or ``jax.jit(jax.vmap(f))`` in a function's body → made once, at module level."""

import ast
from collections.abc import Mapping

import jax

from stagelight.repair.names import fresh_name
from stagelight.repair.refusal import NotApplicable, Refusal
from stagelight.repair.source_text import SourceText


def jit_hoisted(source: SourceText, function: str, namespace: Mapping[str, object]) -> str:
    """Move the first ``jit`` that a function makes of a new function object out of it.

    Args:
        source: The file.
        function: The function's name.
        namespace: The module's globals.

    Raises:
        NotApplicable: The function makes none.
        Refusal: What is jitted reads a local value, or something that the module defines later.
    """
    definition = next(n for n in source.tree.body if isinstance(n, ast.FunctionDef) and n.name == function)
    call = _fresh_jit(definition, namespace)
    if call is None:
        reason = "it jits no new function object"
        raise NotApplicable(reason)
    _require_stable(call, definition, source.tree)
    name = fresh_name(f"_{function}_jitted", source.text)
    made = f"{name} = {source.text_of(call)}"
    if "\n" in made:
        reason = "the jit is written over several lines"
        raise Refusal(reason)
    replaced = source.with_node(call, name)
    lines = replaced.split("\n")
    first = min([definition.lineno, *(d.lineno for d in definition.decorator_list)])
    return "\n".join([*lines[: first - 1], made, "", "", *lines[first - 1 :]])


def _fresh_jit(definition: ast.FunctionDef, namespace: Mapping[str, object]) -> ast.Call | None:
    for node in ast.walk(definition):
        is_jit = isinstance(node, ast.Call) and _meaning(node.func, namespace) is jax.jit
        is_own = is_jit and node not in definition.decorator_list
        if isinstance(node, ast.Call) and is_own and node.args and isinstance(node.args[0], ast.Lambda | ast.Call):
            return node
    return None


def _meaning(node: ast.expr, namespace: Mapping[str, object]) -> object:
    """What a dotted name means in the module."""
    if isinstance(node, ast.Attribute):
        return getattr(_meaning(node.value, namespace), node.attr, None)
    return namespace.get(node.id) if isinstance(node, ast.Name) else None


def _require_stable(call: ast.Call, definition: ast.FunctionDef, tree: ast.Module) -> None:
    own = {a.arg for n in ast.walk(call) if isinstance(n, ast.arguments) for a in _arguments(n)}
    read = {n.id for n in ast.walk(call) if isinstance(n, ast.Name)} - own
    local = {a.arg for a in _arguments(definition.args)}
    local |= {n.id for n in ast.walk(definition) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    local |= {n.name for n in ast.walk(definition) if isinstance(n, ast.FunctionDef | ast.ClassDef)} - {definition.name}
    captured = sorted(read & local)
    if captured:
        raise Refusal(f"what is jitted reads {', '.join(captured)}, which has another value on each call")
    first = min([definition.lineno, *(d.lineno for d in definition.decorator_list)])
    later = sorted(name for name in read if _is_bound_only_after(name, tree, first))
    if later:
        raise Refusal(f"{', '.join(later)} is defined after {definition.name}")


def _arguments(node: ast.arguments) -> list[ast.arg]:
    stars = [a for a in (node.vararg, node.kwarg) if a is not None]
    return [*node.posonlyargs, *node.args, *node.kwonlyargs, *stars]


def _is_bound_only_after(name: str, tree: ast.Module, line: int) -> bool:
    bound = [s.lineno for s in tree.body if name in _names_bound_by(s)]
    return bool(bound) and min(bound) >= line


def _names_bound_by(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
