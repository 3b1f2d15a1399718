"""A size written as text, such as ``2*b`` or ``max(0, b - 3)``.

The grammar is the one that ``jax.export.symbolic_shape`` reads and that a symbolic dimension prints as, so that a
dimension is only ever consumed through its public text. ``^`` is a power, and ``floordiv``, ``mod``, ``max`` and
``min`` are functions of two arguments.
"""

import ast
import functools
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

from stagelight.errors import UsageError

FUNCTION_NAMES = ("floordiv", "mod", "max", "min")

type Functions = Mapping[str, Callable[[Any, Any], Any]]

INTEGER_FUNCTIONS: Functions = {
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "max": max,
    "min": min,
}

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Pow, ast.USub, ast.UAdd)
_NODES = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Name, ast.Load, *_OPERATORS)


class Expression:
    """A parsed size, evaluated over integers or over anything that has their arithmetic.

    Attributes:
        text: As it was written.
        tree: Its syntax tree, checked to hold sizes and arithmetic only.
        code: The tree compiled, for evaluation.
        names: The dimension names in it, sorted.
    """

    __slots__ = ("code", "names", "text", "tree")

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree: ast.expr = _checked_tree(text)
        self.code: CodeType = compile(ast.Expression(self.tree), "<size>", "eval")
        found = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        self.names = tuple(sorted(found.difference(FUNCTION_NAMES)))

    def evaluate(self, sizes: Mapping[str, Any], functions: Functions = INTEGER_FUNCTIONS) -> Any:
        """The value of the expression where each name has the size given for it.

        Args:
            sizes: A value for each name: an ``int``, or another type that has integer arithmetic.
            functions: ``floordiv``, ``mod``, ``max`` and ``min`` for that type.
        """
        return eval(self.code, {"__builtins__": {}, **functions}, dict(sizes))

    def renamed(self, names: Mapping[str, str]) -> str:
        """The text with other names."""
        tree = _Renaming(names).visit(ast.parse(ast.unparse(self.tree), mode="eval"))
        return ast.unparse(tree).replace("**", "^")


class _Renaming(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(id=self._names.get(node.id, node.id), ctx=node.ctx)


def _checked_tree(text: str) -> ast.expr:
    try:
        tree = ast.parse(text.replace("^", "**").strip(), mode="eval").body
    except SyntaxError:
        raise UsageError(_malformed(text)) from None
    for node in ast.walk(tree):
        if not _is_arithmetic(node):
            raise UsageError(_malformed(text))
    return tree


def _is_arithmetic(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int()):
            return True
        case ast.Call(func=ast.Name(id=function), args=[_, _], keywords=[]):
            return function in FUNCTION_NAMES
        case _:
            return isinstance(node, _NODES)


def _malformed(text: str) -> str:
    return (
        f"{text!r} is not a size. A size is a name (b), or names and integers joined by + - * ^ and "
        f"floordiv, mod, max, min of two arguments, such as '2*b' or 'floordiv(b, 2)'."
    )


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Expression:
    """Read a size; equal texts give the same object.

    Example:
        >>> from stagelight.sizes.expression import parse
        >>> parse("2*b + 1").evaluate({"b": 3})
        7

    Raises:
        UsageError: The text is not a size.
    """
    return Expression(text)


def is_name(text: str) -> bool:
    """Whether a size is one dimension name alone, such as ``b``."""
    return text.isidentifier() and text not in FUNCTION_NAMES


def condition_that_any_is_zero(texts: tuple[str, ...]) -> str:
    """Texts of terms as one condition that holds where any of the terms is zero."""
    return " or ".join(f"({text.replace('^', '**')}) == 0" for text in texts)
