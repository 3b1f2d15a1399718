"""One source file, rewritten and compiled under its own name, with its expressions by number and by position."""

import ast
import contextlib
import linecache
import sys
import types
from collections.abc import Iterator

from stagelight.errors import StagelightError
from stagelight.model.finding import Span
from stagelight.staging.expression import Expression
from stagelight.staging.rewriting import Rewriter

DEEPEST = 12_000


class SourceNotFoundError(StagelightError):
    """A function whose source text cannot be read or parsed."""


class InstrumentedSource:
    """The rewritten form of one file.

    Args:
        file: Its name, as code objects carry it.
        first_number: Number of its first expression.

    Attributes:
        lines: The source as written.
        expressions: All expressions inside functions, by number from ``first_number`` on.

    Raises:
        SourceNotFoundError: No source, or none that parses.
    """

    def __init__(self, file: str, first_number: int):
        text = source_text(file)
        self.file = file
        self.lines = text.splitlines()
        rewriter = Rewriter(first_number)
        try:
            tree = ast.parse(text)
            self._end_lines = _end_lines(tree)
            with _deep_recursion():
                self._code = compile(rewriter.rewrite(tree), file, "exec", dont_inherit=True)
            self._original = compile(text, file, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            message = f"cannot explain {file}: its source does not parse ({error})"
            raise SourceNotFoundError(message) from error
        except (RecursionError, MemoryError) as error:
            message = f"cannot explain {file}: its expressions are nested too deeply to be rewritten"
            raise SourceNotFoundError(message) from error
        self.expressions = rewriter.expressions
        self.first_number = first_number
        self._at = {e.position: e.number for e in self.expressions}
        self._replacements = _codes_by_place(self._code)
        self._originals = _codes_by_place(self._original)

    def expression(self, number: int) -> Expression:
        """The expression with a number of this file."""
        return self.expressions[number - self.first_number]

    def number_at(self, position: tuple) -> int | None:
        """Number of the expression with exactly this range."""
        return self._at.get(position)

    def end_line(self, first_line: int) -> int:
        """Last line of the function that starts at a line, decorators included."""
        return self._end_lines.get(first_line, first_line)

    def span_of(self, node: ast.expr) -> Span:
        """Place of an expression, columns in characters from 1."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return Span(
            line=node.lineno,
            column=self._column(node.lineno, node.col_offset),
            end_line=end_line,
            end_column=self._column(end_line, end_column),
        )

    def text_of(self, node: ast.expr) -> str:
        """Source text of an expression, on one line."""
        span = self.span_of(node)
        rows = list(self.lines[span.line - 1 : span.end_line])
        rows[-1] = rows[-1][: span.end_column - 1]
        rows[0] = rows[0][span.column - 1 :]
        return " ".join(row.strip() for row in rows)

    def _column(self, line: int, offset: int) -> int:
        text = self.lines[line - 1]
        return (offset if text.isascii() else len(text.encode()[:offset].decode(errors="replace"))) + 1

    def replacement_of(self, code: types.CodeType) -> types.CodeType | None:
        """The rewritten form of a function's code; None where the file on disk is not what was imported."""
        place = (code.co_qualname, code.co_firstlineno)
        candidates = self._replacements.get(place, ())
        index = 0
        if len(candidates) > 1:  # two lambdas in one line
            here = list(code.co_positions())[:4]
            same = [list(c.co_positions())[:4] == here for c in self._originals[place]]
            index = same.index(True) if True in same else 0
        found = candidates[index] if candidates else None
        return found if found is not None and _has_same_frame(found, code) else None


def source_text(file: str) -> str:
    """Source of a file, notebook cell or generated module, by the way tracebacks find it.

    Raises:
        SourceNotFoundError: There is none.
    """
    lines = linecache.getlines(file)
    if not lines:
        message = f"cannot explain code of {file}: it has no source (a built-in, compiled, or made by exec)"
        raise SourceNotFoundError(message)
    return "".join(lines)


@contextlib.contextmanager
def _deep_recursion() -> Iterator[None]:
    """Room for the rewriting of long sums, which nest one deeper for each term."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _end_lines(tree: ast.Module) -> dict[int, int]:
    found: dict[int, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            found[first] = max(found.get(first, 0), node.end_lineno or first)
    return found


def _codes_by_place(module: types.CodeType) -> dict[tuple[str, int], list[types.CodeType]]:
    found: dict[tuple[str, int], list[types.CodeType]] = {}
    for code in _codes(module):
        found.setdefault((code.co_qualname, code.co_firstlineno), []).append(code)
    return found


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _has_same_frame(new: types.CodeType, old: types.CodeType) -> bool:
    return (new.co_freevars, new.co_argcount, new.co_kwonlyargcount, new.co_flags, new.co_varnames) == (
        old.co_freevars,
        old.co_argcount,
        old.co_kwonlyargcount,
        old.co_flags,
        old.co_varnames,
    )
