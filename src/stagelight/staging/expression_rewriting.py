"""Rewrite expressions so that each reports its value and stays what it was.

``e`` becomes ``hook(number, e)`` at the position of ``e``: the same bytecode positions, the same values, the same order
of evaluation. Nothing is moved, so that a traceback, a source map of JAX and an error point where they pointed before.
"""

import ast
from collections.abc import Iterable

from stagelight.staging.expression import Binding, Expression, Role

HOOK = "__stagelight_value__"
ENTER = "__stagelight_enter__"

# They look at the frame that calls them, or are no ordinary values.
_FRAME_READERS = frozenset({"super", "locals", "globals", "vars", "dir", "eval", "exec"})


class ExpressionRewriter:
    """Rewrites expressions, and numbers them.

    Args:
        first_number: Number of the first expression.

    Attributes:
        expressions: What was found, by number from ``first_number`` on.
    """

    def __init__(self, first_number: int):
        self.first_number = first_number
        self.expressions: list[Expression] = []

    def rewritten(self, node: ast.expr, **known: object) -> tuple[ast.expr, int | None]:
        """The rewritten expression, and its number where it has one."""
        return _EXPRESSIONS.get(type(node), ExpressionRewriter._parts)(self, node, known)

    def numbered(self, node: ast.expr, children: Iterable[int | None], **known: object) -> int:
        """Number an expression, and make it the parent of its parts."""
        number = self.first_number + len(self.expressions)
        kept = [c for c in children if c is not None]
        self.expressions.append(Expression(number=number, node=node, children=kept, **known))
        for child in kept:
            self.expressions[child - self.first_number].parent = number
        return number

    def _hooked(self, node: ast.expr, children: Iterable[int | None], **known: object) -> tuple[ast.expr, int]:
        number = self.numbered(node, children, **known)
        return call_of(HOOK, node, ast.Constant(number), node), number

    def _constant(self, node: ast.Constant, known: dict) -> tuple[ast.expr, int | None]:
        return self._hooked(node, (), **known) if known else (node, self.numbered(node, ()))

    def _name(self, node: ast.Name, known: dict) -> tuple[ast.expr, int | None]:
        return self._hooked(node, (), name=node.id, **known) if isinstance(node.ctx, ast.Load) else (node, None)

    def _attribute(self, node: ast.Attribute, known: dict) -> tuple[ast.expr, int | None]:
        node.value, owner = self.rewritten(node.value)
        return self._hooked(node, (owner,), name=node.attr, **known)

    def _call(self, node: ast.Call, known: dict) -> tuple[ast.expr, int | None]:
        name, owner = "", None
        if isinstance(node.func, ast.Attribute):
            name = node.func.attr
            node.func.value, owner = self.rewritten(node.func.value)
        elif isinstance(node.func, ast.Name):
            name = node.func.id
        else:
            node.func, _ = self.rewritten(node.func)
        if name in _FRAME_READERS and owner is None:
            return node, None
        parts = [self._argument(node.args, i) for i in range(len(node.args))]
        for keyword in node.keywords:
            keyword.value, number = self.rewritten(keyword.value)
            parts.append(number)
        return self._hooked(node, (owner, *parts), name=name, owner=owner, **known)

    def _argument(self, arguments: list[ast.expr], index: int) -> int | None:
        argument = arguments[index]
        if isinstance(argument, ast.Starred):
            argument.value, number = self.rewritten(argument.value)
        else:
            arguments[index], number = self.rewritten(argument)
        return number

    def _lambda(self, node: ast.Lambda, known: dict) -> tuple[ast.expr, int | None]:
        node.body = entered(self.rewritten(node.body)[0])
        return node, None

    def _suspended(self, node: ast.Yield | ast.YieldFrom | ast.Await, known: dict) -> tuple[ast.expr, int | None]:
        if node.value is not None:
            node.value, _ = self.rewritten(node.value)
        return node, None

    def _starred(self, node: ast.Starred, known: dict) -> tuple[ast.expr, int | None]:
        node.value, number = self.rewritten(node.value)
        return node, number

    def _named(self, node: ast.NamedExpr, known: dict) -> tuple[ast.expr, int | None]:
        node.value, value = self.rewritten(node.value, binds=((node.target, Binding.WHOLE),))
        return self._hooked(node, (value,), **known)

    def _logical(self, node: ast.BoolOp, known: dict) -> tuple[ast.expr, int | None]:
        numbers = []
        for index, operand in enumerate(node.values):
            asked = {"role": Role.TRUTH} if index < len(node.values) - 1 else {}
            node.values[index], number = self.rewritten(operand, **asked)
            numbers.append(number)
        return self._hooked(node, numbers, **known)

    def _unary(self, node: ast.UnaryOp, known: dict) -> tuple[ast.expr, int | None]:
        asked = {"role": Role.TRUTH} if isinstance(node.op, ast.Not) else {}
        node.operand, number = self.rewritten(node.operand, **asked)
        return self._hooked(node, (number,), **known)

    def _conditional(self, node: ast.IfExp, known: dict) -> tuple[ast.expr, int | None]:
        node.test, test = self.rewritten(node.test, role=Role.TRUTH)
        node.body, body = self.rewritten(node.body)
        node.orelse, orelse = self.rewritten(node.orelse)
        return self._hooked(node, (body, orelse, test), **known)

    def _comprehension(self, node: ast.expr, known: dict) -> tuple[ast.expr, int | None]:
        numbers = []
        for part in node.generators:
            binds = ((part.target, Binding.COMPREHENSION),)
            part.iter, number = self.rewritten(part.iter, binds=binds, role=Role.ITERATION)
            part.ifs = [self.rewritten(test, role=Role.TRUTH)[0] for test in part.ifs]
            numbers.append(number)
        for field in ("key", "value", "elt"):
            if hasattr(node, field):
                replaced, number = self.rewritten(getattr(node, field))
                setattr(node, field, replaced)
                numbers.append(number)
        bound = [n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)]
        return self._hooked(node, numbers, shadows=tuple(bound), **known)

    def _text(self, node: ast.JoinedStr, known: dict) -> tuple[ast.expr, int | None]:
        numbers = []
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                value.value, number = self.rewritten(value.value)
                numbers.append(number)
        return self._hooked(node, numbers, **known)

    def _slice(self, node: ast.Slice, known: dict) -> tuple[ast.expr, int | None]:
        numbers = []
        for field in ("lower", "upper", "step"):
            bound = getattr(node, field)
            if bound is not None:
                replaced, number = self.rewritten(bound)
                setattr(node, field, replaced)
                numbers.append(number)
        return node, self.numbered(node, numbers)

    def _parts(self, node: ast.expr, known: dict) -> tuple[ast.expr, int | None]:
        """Operators, displays, comparisons, subscripts: all loaded parts, then the whole."""
        if not isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load):
            return node, None
        numbers, holds_slice = [], False
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                replaced, number = self.rewritten(value)
                setattr(node, field, replaced)
                numbers.append(number)
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        holds_slice = holds_slice or isinstance(item, ast.Slice)
                        value[index], number = self.rewritten(item)
                        numbers.append(number)
        if holds_slice:  # `0, :` in `x[0, :]` is no expression of its own
            return node, self.numbered(node, numbers)
        return self._hooked(node, numbers, **known)


def as_written(node: ast.expr) -> ast.expr:
    """The original expression that a hook's call stands for; any other node itself."""
    is_hook = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == HOOK
    return node.args[1] if is_hook else node


def call_of(function: str, at: ast.AST, *arguments: ast.expr) -> ast.Call:
    """A call without a position of its own: it borrows that of the expression that it stands for."""
    name = ast.copy_location(ast.Name(function, ast.Load()), at)
    placed = [a if hasattr(a, "lineno") else ast.copy_location(a, at) for a in arguments]
    return ast.copy_location(ast.Call(name, placed, []), at)


def entered(body: ast.expr) -> ast.expr:
    """A lambda's body that announces the call first: ``(enter(), body)[1]``."""
    pair = ast.copy_location(ast.Tuple([call_of(ENTER, body), body], ast.Load()), body)
    return ast.copy_location(ast.Subscript(pair, ast.copy_location(ast.Constant(1), body), ast.Load()), body)


_EXPRESSIONS = {
    ast.Constant: ExpressionRewriter._constant,
    ast.Name: ExpressionRewriter._name,
    ast.Attribute: ExpressionRewriter._attribute,
    ast.Call: ExpressionRewriter._call,
    ast.Lambda: ExpressionRewriter._lambda,
    ast.Yield: ExpressionRewriter._suspended,
    ast.YieldFrom: ExpressionRewriter._suspended,
    ast.Await: ExpressionRewriter._suspended,
    ast.Starred: ExpressionRewriter._starred,
    ast.NamedExpr: ExpressionRewriter._named,
    ast.BoolOp: ExpressionRewriter._logical,
    ast.UnaryOp: ExpressionRewriter._unary,
    ast.IfExp: ExpressionRewriter._conditional,
    ast.JoinedStr: ExpressionRewriter._text,
    ast.Slice: ExpressionRewriter._slice,
} | dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp), ExpressionRewriter._comprehension)
