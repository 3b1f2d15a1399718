"""What one module defines and imports at its top level, read without walking into its functions."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterable
from functools import cached_property

from stagelight.lint.definitions import ClassDefinition, FunctionDefinition
from stagelight.lint.source_module import SourceModule
from stagelight.lint.transformations import canonical_name

DEEPEST_NESTING = 4000


class ModuleIndex:
    """Top-level functions, classes, imports and assigned names of one parsed module.

    Raises:
        SyntaxError: the text is not Python.
        RecursionError: it is nested too deeply to be read.
    """

    def __init__(self, source: SourceModule) -> None:
        self.source = source
        self.name = source.name
        self.path = source.path
        self.tree = _parsed(source.text)
        self.imports: dict[str, str] = {}
        self.star_imports: list[str] = []
        self.functions: dict[str, FunctionDefinition] = {}
        self.classes: dict[str, ClassDefinition] = {}
        self.assigned: dict[str, list[ast.expr]] = {}
        self._index(self.tree.body)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, for showing expressions."""
        return self.source.text.split("\n")

    @cached_property
    def registrations(self) -> list[str]:
        """The lines that register something, such as a class as a pytree."""
        return [line for line in self.lines if "register_" in line]

    def segment(self, node: ast.stmt | ast.expr) -> str:
        """Return the whole lines that a node covers; quicker than the exact segment."""
        return "\n".join(self.lines[node.lineno - 1 : node.end_lineno])

    def imported_name(self, node: ast.ImportFrom) -> str:
        """Return the absolute module that a ``from`` import names."""
        if not node.level:
            return node.module or ""
        parts = self.name.split(".") if self.name else []
        keep = len(parts) - (node.level - 1 if self.source.is_package else node.level)
        return ".".join([*parts[: max(keep, 0)], *([node.module] if node.module else [])])

    def bindings_of_import(self, node: ast.Import | ast.ImportFrom) -> Iterable[tuple[str, str]]:
        """Yield (local name, dotted name) for every name that an import binds; a star binds ``*``."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                yield (alias.asname, canonical_name(alias.name)) if alias.asname else (top, top)
            return
        module = self.imported_name(node)
        for alias in node.names:
            dotted = f"{module}.{alias.name}" if module else alias.name
            yield alias.asname or alias.name, (module if alias.name == "*" else canonical_name(dotted))

    def _index(self, body: list[ast.stmt]) -> None:
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self.functions[node.name] = FunctionDefinition(node, self)
                case ast.ClassDef():
                    self.classes[node.name] = ClassDefinition(node, self)
                case ast.Import() | ast.ImportFrom():
                    self._index_import(node)
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._index_assignment(target, value)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self.assigned.setdefault(name, []).append(value)
                case ast.AugAssign(target=ast.Name(id=name), value=value):
                    self.assigned.setdefault(name, []).append(value)
                case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                    # What only type checkers see says nothing of what runs, but for where names come from.
                    self._index([s for s in node.body if isinstance(s, (ast.Import, ast.ImportFrom))])
                    self._index(node.orelse)
                case ast.If() | ast.Try() | ast.With() | ast.For() | ast.While():
                    self._index_inner(node)
                case _:
                    pass

    def _index_inner(self, node: ast.If | ast.Try | ast.With | ast.For | ast.While) -> None:
        self._index(node.body)
        if not isinstance(node, ast.With):
            self._index(node.orelse)
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                self._index(handler.body)
            self._index(node.finalbody)

    def _index_import(self, node: ast.Import | ast.ImportFrom) -> None:
        for name, dotted in self.bindings_of_import(node):
            if name == "*":
                self.star_imports.append(dotted)
            else:
                self.imports[name] = dotted

    def _index_assignment(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.assigned.setdefault(target.id, []).append(value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                if isinstance(element, ast.Name):
                    # Unpacking: what the name holds is not one expression of the source.
                    self.assigned.setdefault(element.id, []).extend((value, value))


def _parsed(text: str) -> ast.Module:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEPEST_NESTING))
    try:
        with warnings.catch_warnings():
            # What the compiler warns of, such as `"\\d"`, is not what is checked here.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (ValueError, MemoryError) as error:
        # A null byte is a ValueError, and the parser's own stack overflow a MemoryError.
        raise SyntaxError(str(error) or "nested too deeply") from error
    finally:
        sys.setrecursionlimit(limit)
