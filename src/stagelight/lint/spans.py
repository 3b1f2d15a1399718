"""From nodes of the syntax tree to spans of the text and the words that show them."""

import ast

from stagelight.model.finding import PathStep, Span

_LONGEST_SHOWN = 60


def span_of(node: ast.AST, lines: list[str]) -> Span:
    """Return the 1-based span of a node; columns count characters, not the bytes that ``ast`` counts.

    A function or class is represented by its header line, its decorators left out.
    """
    line: int = getattr(node, "lineno", 1)
    start: int = getattr(node, "col_offset", 0)
    end_line: int = getattr(node, "end_lineno", None) or line
    end: int = getattr(node, "end_col_offset", None) or start
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        end_line, end = line, len(_line(lines, line).encode())
    return Span(
        line=line,
        column=_characters(_line(lines, line), start) + 1,
        end_line=end_line,
        end_column=_characters(_line(lines, end_line), end) + 1,
    )


def _line(lines: list[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _characters(line: str, byte_offset: int) -> int:
    return byte_offset if line.isascii() else len(line.encode()[:byte_offset].decode(errors="ignore"))


def shown_expression(span: Span, lines: list[str]) -> str:
    """Return the text of a span on one line, shortened."""
    if span.line == span.end_line:
        text = _line(lines, span.line)[span.column - 1 : span.end_column - 1]
    else:
        first = _line(lines, span.line)[span.column - 1 :]
        middle = lines[span.line : span.end_line - 1]
        text = " ".join([first, *middle, _line(lines, span.end_line)[: span.end_column - 1]])
    return shortened(text)


def shortened(text: str) -> str:
    """Return a text on one line, cut in the middle of nothing but its tail.

    >>> shortened("a  +\\n  b")
    'a + b'
    """
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST_SHOWN else words[: _LONGEST_SHOWN - 1] + "…"


def shown(node: ast.AST) -> str:
    """Return the source of a node as Python would write it, shortened."""
    return shortened(ast.unparse(node))


def step_at(node: ast.AST, path: str, text: str, lines: list[str]) -> PathStep:
    """Return a step of a path at a node."""
    span = span_of(node, lines)
    return PathStep(file=path, line=span.line, column=span.column, text=text)
