"""``while`` and ``for … in range`` on traced values → ``lax.while_loop`` and ``lax.fori_loop``."""

import ast
from collections.abc import Sequence

from stagelight.repair.failing import Failing, Place
from stagelight.repair.names import fresh_name, loaded, stored
from stagelight.repair.predicates import predicate_text
from stagelight.repair.purity import require_pure
from stagelight.repair.refusal import NotApplicable, Refusal
from stagelight.repair.source_text import INDENT


def while_with_while_loop(failing: Failing) -> str:
    """Rewrite the ``while`` whose condition failed.

    Raises:
        Refusal: The failing expression is no such condition, or the loop cannot be separated.
    """
    node = failing.statement()
    inside_test = isinstance(node, ast.While) and _holds(node.test, failing.node)
    if not isinstance(node, ast.While) or not inside_test:
        reason = "the failing expression is no condition of a while loop"
        raise NotApplicable(reason)
    loop = CarryingLoop(failing, node)
    test = predicate_text(node.test, failing.source, failing.names)
    keep, step = loop.fresh("_keep_going"), loop.fresh("_step")
    new = [
        f"{loop.indent}def {keep}(carry):",
        f"{loop.inner}{loop.carry} = carry",
        f"{loop.inner}return {test}",
        "",
        *loop.step_lines(f"{step}(carry)"),
        f"{loop.indent}{loop.carry} = {failing.names.lax}.while_loop({keep}, {step}, {loop.tuple})",
    ]
    return loop.replaced(new)


def for_with_fori_loop(failing: Failing) -> str:
    """Rewrite the ``for`` over a ``range`` whose length failed.

    Raises:
        Refusal: The failing expression is no such range, or the loop cannot be separated.
    """
    node = failing.statement()
    if not isinstance(node, ast.For) or node.iter is not failing.node or not _is_range(node.iter):
        reason = "the failing expression is no range of a for loop"
        raise NotApplicable(reason)
    if not isinstance(node.target, ast.Name) or len(node.iter.args) > 2 or node.iter.keywords:
        reason = "only `for i in range(stop)` and `range(start, stop)` have a fori_loop"
        raise Refusal(reason)
    loop = CarryingLoop(failing, node)
    if node.target.id in loaded(failing.read_after(node)):
        raise Refusal(f"{node.target.id} is used after the loop")
    bounds = [failing.source.text_of(a) for a in node.iter.args]
    start, stop = bounds if len(bounds) == 2 else ("0", bounds[0])
    step = loop.fresh("_step")
    new = [
        *loop.step_lines(f"{step}({node.target.id}, carry)"),
        f"{loop.indent}{loop.carry} = {failing.names.lax}.fori_loop({start}, {stop}, {step}, {loop.tuple})",
    ]
    return loop.replaced(new)


class CarryingLoop:
    """A loop with the names that it carries from round to round."""

    def __init__(self, place: Place, node: ast.While | ast.For):
        if node.orelse or any(isinstance(n, ast.Return) for s in node.body for n in ast.walk(s)):
            reason = "the loop has an else or a return"
            raise Refusal(reason)
        require_pure(node.body, "the loop's body")
        self.place = place
        self.node = node
        self.source = place.source
        self.indent = self.source.indent_of(node)
        self.inner = self.indent + INDENT
        names = self.names = self._carried()
        self.tuple = f"({', '.join(names)}{',' if len(names) == 1 else ''})"
        self.carry = ", ".join(names) if len(names) > 1 else self.tuple

    def _carried(self) -> list[str]:
        assigned = list(dict.fromkeys(stored(self.node.body)))
        known = self.place.defined_before(self.node)
        after = loaded(self.place.read_after(self.node))
        for name in assigned:
            if name not in known and name in after:
                raise Refusal(f"{name} gets its first value inside the loop and is used after it")
        carried = [n for n in assigned if n in known]
        if not carried:
            reason = "the loop changes no name that had a value before"
            raise Refusal(reason)
        return carried

    def fresh(self, name: str) -> str:
        """A name for a new function."""
        return fresh_name(name, self.source.text)

    def step_lines(self, signature: str, *, first: Sequence[str] = (), result: str = "") -> list[str]:
        """The body as a function from carry to carry; ``first`` comes before it, ``result`` is what it returns."""
        body = self.source.statements_text(self.node.body)
        if self.node.body[0].col_offset != len(self.inner):
            reason = "the body is indented in an unusual way"
            raise Refusal(reason)
        return [
            f"{self.indent}def {signature}:",
            f"{self.inner}{self.carry} = carry",
            *first,
            *body,
            f"{self.inner}return {result or self.tuple}",
            "",
        ]

    def replaced(self, new: Sequence[str]) -> str:
        """The file with the loop replaced; comments that the new lines do not hold stand before them."""
        last = self.node.end_lineno or self.node.lineno
        kept = "\n".join(new)
        comments = [f"{self.indent}{c}" for c in self.source.comments_in(self.node.lineno, last) if c not in kept]
        return self.source.with_lines(self.node.lineno, last, [*comments, *new])


def _holds(node: ast.AST, part: ast.AST) -> bool:
    return any(n is part for n in ast.walk(node))


def _is_range(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"
