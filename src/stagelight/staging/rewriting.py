"""Rewrite the functions of a module so that every expression in them reports its value."""

import ast

from stagelight.staging.expression import Binding, Role
from stagelight.staging.expression_rewriting import ENTER, ExpressionRewriter, call_of, entered


class Rewriter(ExpressionRewriter):
    """Rewrites the functions of one module; code at module and class level stays as it is."""

    def rewrite(self, tree: ast.Module) -> ast.Module:
        """Rewrite a module in place and return it."""
        self._statements(tree.body, inside=False)
        return ast.fix_missing_locations(tree)

    def _statements(self, body: list[ast.stmt], *, inside: bool) -> None:
        for statement in body:
            self._statement(statement, inside=inside)

    def _statement(self, node: ast.stmt, *, inside: bool) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._statements(node.body, inside=True)
            node.body.insert(_after_docstring(node.body), _enter_statement(node.body[0]))
        elif isinstance(node, ast.ClassDef):
            self._statements(node.body, inside=False)
        elif inside:
            _STATEMENTS.get(type(node), Rewriter._plain_statement)(self, node)
        else:
            self._plain_statement(node, rewrite=False)

    def _plain_statement(self, node: ast.stmt, *, rewrite: bool = True) -> None:
        """Rewrite all loaded expressions of a statement, and the statements in it."""
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, field, self._loaded(value, rewrite))
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, ast.stmt):
                        self._statement(item, inside=rewrite)
                    elif isinstance(item, ast.expr):
                        value[index] = self._loaded(item, rewrite)
                    elif isinstance(item, ast.ExceptHandler | ast.match_case):
                        self._block(item, rewrite)
                    elif isinstance(item, ast.withitem) and rewrite:
                        self._with_item(item)

    def _loaded(self, node: ast.expr, rewrite: bool) -> ast.expr:
        if not rewrite:
            return self._functions_in(node)
        return self.rewritten(node)[0]

    def _functions_in(self, node: ast.expr) -> ast.expr:
        """Rewrite the bodies of lambdas at module level, and nothing around them."""
        for part in ast.walk(node):
            if isinstance(part, ast.Lambda) and not _is_rewritten(part):
                part.body = entered(self.rewritten(part.body)[0])
        return node

    def _block(self, node: ast.ExceptHandler | ast.match_case, rewrite: bool) -> None:
        if isinstance(node, ast.match_case) and node.guard is not None and rewrite:
            node.guard, _ = self.rewritten(node.guard, role=Role.TRUTH)
        self._statements(node.body, inside=rewrite)

    def _with_item(self, item: ast.withitem) -> None:
        binds = ((item.optional_vars, Binding.WHOLE),) if item.optional_vars is not None else ()
        item.context_expr, _ = self.rewritten(item.context_expr, binds=binds)

    def _assign(self, node: ast.Assign) -> None:
        node.value, value = self.rewritten(node.value, binds=tuple((t, Binding.WHOLE) for t in node.targets))
        for target in node.targets:
            self._target(target, value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            node.value, value = self.rewritten(node.value, binds=((node.target, Binding.WHOLE),))
            self._target(node.target, value)

    def _augmented(self, node: ast.AugAssign) -> None:
        node.value, value = self.rewritten(node.value, binds=((node.target, Binding.UPDATE),))
        self._target(node.target, value)

    def _for(self, node: ast.For) -> None:
        binds = ((node.target, Binding.ELEMENT),)
        node.iter, _ = self.rewritten(node.iter, binds=binds, role=Role.ITERATION)
        self._target(node.target, None)
        self._statements(node.body, inside=True)
        self._statements(node.orelse, inside=True)

    def _tested(self, node: ast.If | ast.While) -> None:
        node.test, _ = self.rewritten(node.test, role=Role.TRUTH)
        self._statements(node.body, inside=True)
        self._statements(node.orelse, inside=True)

    def _assert(self, node: ast.Assert) -> None:
        node.test, _ = self.rewritten(node.test, role=Role.TRUTH)

    def _raise(self, node: ast.Raise) -> None:
        """Number the exception, for a failure to point at; a hook would only move what its traceback says."""
        if node.exc is not None:
            self.numbered(node.exc, ())

    def _untouched(self, node: ast.stmt) -> None:
        """``del`` and imports load nothing that is staged."""

    def _target(self, node: ast.expr, value: int | None) -> None:
        """Rewrite what a store target loads (``x[i] = …`` loads ``x`` and ``i``), and number the target itself."""
        if isinstance(node, ast.Tuple | ast.List):
            for element in node.elts:
                self._target(element, value)
        elif isinstance(node, ast.Starred):
            self._target(node.value, value)
        elif isinstance(node, ast.Subscript):
            node.value, owner = self.rewritten(node.value)
            node.slice, index = self.rewritten(node.slice)
            self.numbered(node, [n for n in (owner, index, value) if n is not None], name="store")
        elif isinstance(node, ast.Attribute):
            node.value, owner = self.rewritten(node.value)
            self.numbered(node, [n for n in (owner, value) if n is not None], name="store")


def _after_docstring(body: list[ast.stmt]) -> int:
    first = body[0]
    is_text = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return int(is_text)


def _enter_statement(first: ast.stmt) -> ast.Expr:
    return ast.copy_location(ast.Expr(call_of(ENTER, first)), first)


def _is_rewritten(node: ast.Lambda) -> bool:
    return (
        isinstance(node.body, ast.Subscript)
        and isinstance(node.body.value, ast.Tuple)
        and any(isinstance(n, ast.Name) and n.id == ENTER for n in ast.walk(node.body.value.elts[0]))
    )


_STATEMENTS = {
    ast.Assign: Rewriter._assign,
    ast.AnnAssign: Rewriter._annotated,
    ast.AugAssign: Rewriter._augmented,
    ast.For: Rewriter._for,
    ast.AsyncFor: Rewriter._for,
    ast.If: Rewriter._tested,
    ast.While: Rewriter._tested,
    ast.Assert: Rewriter._assert,
    ast.Raise: Rewriter._raise,
    ast.Delete: Rewriter._untouched,
    ast.Import: Rewriter._untouched,
    ast.ImportFrom: Rewriter._untouched,
}
