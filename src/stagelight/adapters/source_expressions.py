"""The expressions of a source file, found by the positions that code objects carry (PEP 657)."""

import ast
import dis
import functools
import linecache
from types import FrameType

Position = tuple[int | None, int | None, int | None, int | None]
"""Line, end line, column, end column, as ``types.CodeType.co_positions`` gives them (columns count UTF-8 bytes)."""


class SourceExpressions:
    """One parsed file: nodes by position, their parents, and their text.

    Args:
        text: Source text of the whole file.

    Raises:
        SyntaxError: The text is not Python of this version.
    """

    def __init__(self, text: str):
        self.lines = text.splitlines()
        self.tree = ast.parse(text)
        self.parents: dict[ast.AST, ast.AST] = {}
        self._at: dict[Position, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
            if isinstance(node, ast.expr | ast.stmt):
                # A statement that is one expression has its range; the walk meets the expression last, and it wins.
                self._at[_range(node)] = node

    def at(self, position: Position) -> ast.AST | None:
        """The node with exactly this range, or else the smallest one around it."""
        if None in position:
            return None
        return self._at.get(position) or self._smallest_around(position)

    def _smallest_around(self, position: Position) -> ast.AST | None:
        line, end_line, column, end_column = position
        around = [
            (r[1] - r[0], r[3] - r[2], n)
            for r, n in self._at.items()
            if (r[0], r[2]) <= (line, column) and (r[1], r[3]) >= (end_line, end_column)
        ]
        return min(around, key=lambda found: found[:2])[2] if around else None

    def starting_at(self, line: int, column: int) -> ast.expr | None:
        """The smallest expression that makes a new value and starts here (column counts bytes from 0)."""
        kinds = (ast.Call, ast.BinOp, ast.Compare, ast.UnaryOp, ast.Subscript, ast.Attribute, ast.Name)
        here = [n for r, n in self._at.items() if r[0] == line and r[2] == column and isinstance(n, kinds)]
        making = [n for n in here if not isinstance(n, ast.Attribute | ast.Name)] or here
        return min(making, key=lambda n: _range(n)[1::2], default=None)

    def on_line(self, line: int) -> tuple[ast.expr, ...]:
        """Expressions that begin on a line, assigned ones included, the widest first."""
        here = [n for r, n in self._at.items() if r[0] == line and isinstance(n, ast.expr)]
        return tuple(sorted(here, key=lambda n: (-(n.end_lineno or 0), n.col_offset - (n.end_col_offset or 0))))

    def ancestors(self, node: ast.AST) -> tuple[ast.AST, ...]:
        """Parents of a node, the nearest first."""
        found: list[ast.AST] = []
        while (parent := self.parents.get(node)) is not None:
            found.append(parent)
            node = parent
        return tuple(found)

    def text_of(self, node: ast.AST) -> str:
        """The node's source text as written."""
        line, end_line, column, end_column = _range(node)
        rows = [row.encode() for row in self.lines[line - 1 : end_line]]
        rows[-1] = rows[-1][:end_column]
        rows[0] = rows[0][column:]
        return b"\n".join(rows).decode(errors="replace")

    def line_of_text(self, node: ast.AST) -> str:
        """The node's source on one line: as written, or normalised where it spans several."""
        return self.text_of(node) if node.lineno == node.end_lineno else ast.unparse(node)

    def column_of(self, node: ast.AST) -> int:
        """1-based column, in characters, where the node begins."""
        line, _, column, _ = _range(node)
        return len(self.lines[line - 1].encode()[:column].decode(errors="replace")) + 1


def _range(node: ast.AST) -> tuple[int, int, int, int]:
    return (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)


@functools.lru_cache(maxsize=64)
def _parsed(text: str) -> SourceExpressions | None:
    try:
        return SourceExpressions(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def expressions_of_file(filename: str) -> SourceExpressions | None:
    """The expressions of a file; None where it has no source that parses."""
    lines = linecache.getlines(filename)
    return _parsed("".join(lines)) if lines else None


def expressions_of_frame(frame: FrameType) -> SourceExpressions | None:
    """The expressions of the file that a frame runs; module loaders and notebook cells are asked too."""
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    return _parsed("".join(lines)) if lines else None


def position_at(frame: FrameType, instruction: int) -> Position:
    """Source range of the instruction at a byte offset of the frame's code (``tb_lasti``)."""
    return list(frame.f_code.co_positions())[instruction // 2]


def is_reraise(frame: FrameType, instruction: int) -> bool:
    """Whether the instruction only raises again what a handler let pass; its range then says nothing of the cause.

    JAX rebuilds tracebacks with the frame's last instruction (``jax/_src/traceback_util.py: filter_traceback``), which
    is the handler's in comprehensions, ``with`` and ``try``; only the line stays that of the cause.
    """
    return frame.f_code.co_code[instruction] == dis.opmap["RERAISE"]


def position_before(frame: FrameType, instruction: int) -> Position | None:
    """Source range of the last instruction before this one that lies strictly inside its range.

    ``a and b``, ``not a`` and comprehension filters ask for a truth at the range of the whole expression; the
    instruction before it made the operand.
    """
    positions = list(frame.f_code.co_positions())
    whole = positions[instruction // 2]
    if None in whole:
        return None
    for position in reversed(positions[: instruction // 2]):
        if None not in position and position != whole:
            return position if _is_inside(position, whole) else None
    return None


def _is_inside(inner: Position, outer: Position) -> bool:
    return (outer[0], outer[2]) <= (inner[0], inner[2]) and (inner[1], inner[3]) <= (outer[1], outer[3])
