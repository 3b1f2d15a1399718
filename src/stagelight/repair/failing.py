"""Where a rewrite starts, with all that it may look at: mostly where a version of a function fails."""

import ast
import dataclasses

from stagelight.model.event import Failure
from stagelight.repair.names import JaxNames, stored
from stagelight.repair.source_text import SourceText


@dataclasses.dataclass(frozen=True, kw_only=True)
class Place:
    """An expression in one version of a file, with what is around it.

    Attributes:
        source: The version.
        node: The expression.
        function: The function that holds it.
        names: How the module writes JAX.
        is_entry: Whether the function is the one that is called, rather than a helper.
    """

    source: SourceText
    node: ast.expr
    function: ast.FunctionDef
    names: JaxNames
    is_entry: bool

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters of the function."""
        arguments = self.function.args
        return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]

    def statement(self) -> ast.stmt:
        """The innermost statement around the expression."""
        return next(n for n in (self.node, *self.source.ancestors(self.node)) if isinstance(n, ast.stmt))

    def block_of(self, statement: ast.stmt) -> tuple[list[ast.stmt], int]:
        """The list of statements that holds a statement, and its index there."""
        parent = self.source.parents[statement]
        for field in ("body", "orelse", "finalbody"):
            block = getattr(parent, field, None)
            if isinstance(block, list) and statement in block:
                return block, block.index(statement)
        raise LookupError(ast.dump(statement))

    def loop_around(self, statement: ast.stmt) -> ast.stmt | None:
        """The innermost loop of the same function around a statement."""
        for node in self.source.ancestors(statement):
            if isinstance(node, ast.For | ast.While):
                return node
            if isinstance(node, ast.FunctionDef):
                return None
        return None

    def defined_before(self, statement: ast.stmt) -> set[str]:
        """Names of the function that have a value when a statement begins."""
        known = {*self.parameters}
        inner: ast.AST = statement
        for node in self.source.ancestors(statement):
            for field in ("body", "orelse"):
                block = getattr(node, field, None)
                if isinstance(block, list) and inner in block:
                    known |= set(stored(block[: block.index(inner)]))
            if isinstance(node, ast.For):
                known |= set(stored([node.target]))
            if node is self.function:
                break
            inner = node
        return known

    def read_after(self, statement: ast.stmt) -> list[ast.stmt]:
        """Statements that may run after a statement; inside a loop, all of the loop's body."""
        after: list[ast.stmt] = []
        inner: ast.AST = statement
        for node in self.source.ancestors(statement):
            for field in ("body", "orelse"):
                block = getattr(node, field, None)
                if isinstance(block, list) and inner in block:
                    loops = isinstance(node, ast.For | ast.While)
                    after += block if loops else block[block.index(inner) + 1 :]
            if node is self.function:
                break
            inner = node
        return after


@dataclasses.dataclass(frozen=True, kw_only=True)
class Failing(Place):
    """One failed trace of one version of a file: the place of the failing expression.

    Attributes:
        failure: Its slug, arguments and JAX's message.
    """

    failure: Failure
