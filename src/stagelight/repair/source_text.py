"""The text of a file with its syntax tree, and splices that leave everything else as it was written."""

import ast
import difflib
import io
import textwrap
import tokenize
from collections.abc import Sequence

from stagelight.adapters.source_expressions import SourceExpressions
from stagelight.model.finding import Edit, Span
from stagelight.repair.refusal import Refusal

INDENT = "    "


class SourceText(SourceExpressions):
    """One version of a file."""

    def __init__(self, text: str):
        super().__init__(text)
        self.text = text

    def statements_text(self, statements: Sequence[ast.stmt]) -> list[str]:
        """The lines of consecutive statements as written, comments between them included."""
        first, last = statements[0].lineno, statements[-1].end_lineno or statements[-1].lineno
        return self.lines[first - 1 : last]

    def indent_of(self, statement: ast.stmt) -> str:
        """The white space before a statement."""
        line = self.lines[statement.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def comments_in(self, first: int, last: int) -> list[str]:
        """Comments on the lines ``first`` to ``last``, without their indentation."""
        found = []
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type == tokenize.COMMENT and first <= token.start[0] <= last:
                found.append(token.string)
        return found

    def with_lines(self, first: int, last: int, new: Sequence[str]) -> str:
        """The text with the lines ``first`` to ``last`` replaced."""
        before = self.lines[: first - 1]
        is_definition = bool(new) and new[0].lstrip().startswith("def ")
        if is_definition and before and before[-1].strip() and not before[-1].rstrip().endswith(":"):
            before = [*before, ""]
        lines = [*before, *new, *self.lines[last:]]
        return "\n".join(lines) + ("\n" if self.text.endswith("\n") else "")

    def with_node(self, node: ast.AST, new: str) -> str:
        """The text with one expression replaced."""
        lines = [line.encode() for line in self.lines]
        head = lines[node.lineno - 1][: node.col_offset].decode()
        tail = lines[node.end_lineno - 1][node.end_col_offset :].decode()
        return self.with_lines(node.lineno, node.end_lineno, (head + new + tail).split("\n"))

    def deeper(self, lines: Sequence[str], by: str = INDENT) -> list[str]:
        """Lines indented further.

        Raises:
            Refusal: A text over several lines would change.
        """
        if any('"""' in line or "'''" in line for line in lines):
            reason = "a text over several lines would have to be indented"
            raise Refusal(reason)
        return textwrap.indent("\n".join(lines), by).split("\n")


def edits_between(before: str, after: str) -> tuple[Edit, ...]:
    """Replacements of whole lines that turn one text into another."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    edits = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            span = Span(line=i1 + 1, column=1, end_line=i2 + 1, end_column=1)
            edits.append(Edit(span=span, text="".join(new[j1:j2])))
    return tuple(edits)


def unified_diff(file: str, before: str, after: str) -> str:
    """A diff that ``patch`` and ``git apply`` take."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return "".join(difflib.unified_diff(old, new, f"a/{file}", f"b/{file}"))


def applied(text: str, edits: Sequence[Edit]) -> str:
    """The text after edits of whole lines.

    >>> applied("a\\nb\\n", [Edit(span=Span(line=2, column=1, end_line=3, end_column=1), text="c\\n")])
    'a\\nc\\n'
    """
    lines = text.splitlines(keepends=True)
    for edit in sorted(edits, key=lambda e: e.span.line, reverse=True):
        lines[edit.span.line - 1 : edit.span.end_line - 1] = edit.text.splitlines(keepends=True)
    return "".join(lines)
