"""Where a module constructs objects of its own classes again and again."""

import ast
from collections.abc import Iterator


def constructions_in_loops(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Yield (class name, call) for calls of a bare name inside a loop."""
    yield from _walk(tree, in_loop=False)


def _walk(node: ast.AST, *, in_loop: bool) -> Iterator[tuple[str, ast.Call]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield from _walk(child, in_loop=False)
            continue
        if in_loop and isinstance(child, ast.Call) and isinstance(child.func, ast.Name):
            yield child.func.id, child
        loops = (ast.For, ast.AsyncFor, ast.While)
        yield from _walk(child, in_loop=in_loop or isinstance(child, loops))
