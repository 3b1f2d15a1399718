"""What names mean: those of JAX in a module, and those that statements read and write."""

import ast
import sys
import types
from collections.abc import Iterable, Mapping, Sequence

import jax
import jax.numpy
import numpy


class JaxNames:
    """How a module writes ``jax`` and ``jax.numpy``.

    Args:
        namespace: The module's globals.

    Attributes:
        missing: Imports that a repaired module needs in addition.
    """

    def __init__(self, namespace: Mapping[str, object]):
        self._namespace = namespace
        self.missing: dict[str, None] = {}

    @property
    def numpy(self) -> str:
        """The module's name for ``jax.numpy``."""
        return self._name_of(jax.numpy, "jnp", "import jax.numpy as jnp")

    @property
    def jax(self) -> str:
        """The module's name for ``jax``."""
        return self._name_of(jax, "jax", "import jax")

    @property
    def lax(self) -> str:
        """The module's name for ``jax.lax``."""
        return self.written_as(jax.lax) or f"{self.jax}.lax"

    def written_as(self, module: types.ModuleType) -> str | None:
        """A global name bound to a module."""
        return next((name for name, value in self._namespace.items() if value is module), None)

    @property
    def host_numpy(self) -> str | None:
        """The module's name for NumPy."""
        return self.written_as(numpy)

    def _name_of(self, module: types.ModuleType, usual: str, statement: str) -> str:
        known = self.written_as(module)
        if known is None:
            self.missing[statement] = None
        return known or usual


def with_imports(text: str, statements: Iterable[str]) -> str:
    """A module's text with import statements added: those of the standard library first, those of JAX last."""
    wanted = list(statements)
    if not wanted:
        return text
    body = ast.parse(text).body
    future = [n for n in body if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
    imports = [n for n in body if isinstance(n, ast.Import | ast.ImportFrom) and n not in future]
    docstring = body[:1] if ast.get_docstring(ast.Module(body, [])) is not None else []
    before = (future or docstring or [None])[-1]
    head = imports[0].lineno - 1 if imports else before.end_lineno if before is not None else 0
    tail = imports[-1].end_lineno if imports else head
    lines = text.splitlines(keepends=True)
    first = [f"{s}\n" for s in wanted if "jax" not in s]
    last = [f"{s}\n" for s in wanted if "jax" in s]
    if first and imports and _is_third_party(imports[0]):
        first.append("\n")
    return "".join([*lines[:head], *first, *lines[head:tail], *last, *lines[tail:]])


def _is_third_party(node: ast.Import | ast.ImportFrom) -> bool:
    module = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
    return (module or "").split(".")[0] not in sys.stdlib_module_names


def stored(statements: Sequence[ast.AST]) -> list[str]:
    """Names that statements bind, in order; those of nested functions not among them."""
    return [n.id for n in _own_nodes(statements) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def loaded(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that are read, nested functions included; ``x += 1`` reads ``x``."""
    found = set()
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.add(node.id)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
    return found


def _own_nodes(statements: Sequence[ast.AST]) -> Iterable[ast.AST]:
    todo = list(statements)
    while todo:
        node = todo.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.ListComp | ast.GeneratorExp):
            todo = [*ast.iter_child_nodes(node), *todo]


def fresh_name(wanted: str, text: str) -> str:
    """A name that does not occur in a text.

    >>> fresh_name("_step", "def _step(): ...")
    '_step_2'
    """
    name, number = wanted, 1
    while name in text:
        number += 1
        name = f"{wanted}_{number}"
    return name
