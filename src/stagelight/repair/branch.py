"""``if`` on a traced condition → ``jnp.where`` or ``lax.cond``."""

import ast
from collections.abc import Sequence

from stagelight.repair.failing import Failing
from stagelight.repair.names import fresh_name, loaded, stored
from stagelight.repair.predicates import is_logical, predicate_text
from stagelight.repair.purity import require_pure
from stagelight.repair.refusal import NotApplicable, Refusal
from stagelight.repair.source_text import INDENT


def branch_with_where(failing: Failing) -> str:
    """Rewrite the failing condition as a choice between values.

    Raises:
        Refusal: It is no condition, or its branches are more than one value each.
    """
    return _rewritten(failing, _where)


def branch_with_cond(failing: Failing) -> str:
    """Rewrite the failing condition as a choice between computations.

    Raises:
        Refusal: It is no condition, or its branches cannot be separated.
    """
    return _rewritten(failing, _cond)


def _where(test: str, yes: str, no: str, failing: Failing) -> str:
    return f"{failing.names.numpy}.where({test}, {yes}, {no})"


def _cond(test: str, yes: str, no: str, failing: Failing) -> str:
    return f"{failing.names.lax}.cond({test}, lambda: {yes}, lambda: {no})"


def _rewritten(failing: Failing, choice) -> str:
    owner = _owner(failing)
    if isinstance(owner, ast.IfExp):
        test = predicate_text(owner.test, failing.source, failing.names)
        yes, no = failing.source.text_of(owner.body), failing.source.text_of(owner.orelse)
        return failing.source.with_node(owner, choice(test, yes, no, failing))
    if isinstance(owner, ast.If):
        return _If(failing, owner, choice).text()
    if isinstance(owner, ast.Assert):
        reason = "an assertion raises: an exception cannot depend on traced data (jax.experimental.checkify can)"
        raise Refusal(reason)
    reason = "the failing expression is no condition of an if"
    raise NotApplicable(reason)


def _owner(failing: Failing) -> ast.AST | None:
    """The ``if`` whose test holds the failing expression."""
    node: ast.AST = failing.node
    for parent in failing.source.ancestors(failing.node):
        if isinstance(parent, ast.If | ast.IfExp | ast.Assert) and parent.test is node:
            return parent
        if not (is_logical(parent) or isinstance(parent, ast.Compare | ast.Call | ast.BinOp)):
            return None
        node = parent
    return None


class _If:
    """One ``if`` statement, with what follows it where a branch returns."""

    def __init__(self, failing: Failing, node: ast.If, choice) -> None:
        self.failing = failing
        self.source = failing.source
        self.node = node
        self.choice = choice
        self.indent = self.source.indent_of(node)
        self.known = failing.defined_before(node)
        block, index = failing.block_of(node)
        self.rest = block[index + 1 :]

    def text(self) -> str:
        if _returns(self.node.body) or _returns(self.node.orelse):
            return self._returning()
        if _has_return([*self.node.body, *self.node.orelse]):
            reason = "a return is buried inside one branch"
            raise Refusal(reason)
        return self._assigning()

    # --- branches that return

    def _returning(self) -> str:
        if self.failing.loop_around(self.node) is not None:
            reason = "a return inside a loop: how many rounds run would depend on data"
            raise Refusal(reason)
        yes = self.node.body
        no = self.node.orelse if _returns(self.node.orelse) else [*self.node.orelse, *self.rest]
        if not _returns(yes):
            yes = [*yes, *self.rest]
        for branch, name in ((yes, "the if branch"), (no, "the else branch")):
            if not _returns(branch):
                reason = "one path returns a value and the other falls through, which returns None"
                raise Refusal(reason)
            require_pure(branch, name)
        last = max(n.end_lineno or n.lineno for n in (*yes, *no))
        new = self._return_lines(yes, no)
        return self._replaced(last, new)

    def _return_lines(self, yes: Sequence[ast.stmt], no: Sequence[ast.stmt]) -> list[str]:
        test = self._test(self.node)
        values = self._returned(yes), self._returned(no)
        if None not in values:
            return [f"{self.indent}return {self.choice(test, values[0], values[1], self.failing)}"]
        if self.choice is _where:
            reason = "a branch has several statements: jnp.where chooses between two values"
            raise Refusal(reason)
        first = self._function("_when_true", yes, (), returns=None)
        second = self._function("_when_false", no, (), returns=None)
        both = first.parameters_with(second)
        call = f"{self.failing.names.lax}.cond({', '.join([test, first.name, second.name, *both])})"
        return [*first.lines(both), *second.lines(both), f"{self.indent}return {call}"]

    def _returned(self, branch: Sequence[ast.stmt]) -> str | None:
        """Text of what a branch returns, where it is one expression; nested choices become nested calls."""
        head = branch[0]
        if len(branch) == 1 and isinstance(head, ast.Return):
            if head.value is None:
                reason = "a branch returns None"
                raise Refusal(reason)
            return self.source.text_of(head.value)
        if isinstance(head, ast.If) and _returns(head.body):
            rest = head.orelse if _returns(head.orelse) else [*head.orelse, *branch[1:]]
            yes, no = self._returned(head.body), self._returned(rest) if rest else None
            return None if yes is None or no is None else self.choice(self._test(head), yes, no, self.failing)
        return None

    # --- branches that assign

    def _assigning(self) -> str:
        require_pure(self.node.body, "the if branch")
        require_pure(self.node.orelse, "the else branch")
        names = self._assigned()
        last = self.node.end_lineno or self.node.lineno
        single = (
            [self._value(self.node.body, names[0]), self._value(self.node.orelse, names[0])] if len(names) == 1 else []
        )
        if single and None not in single:
            value = self.choice(self._test(self.node), single[0], single[1], self.failing)
            new = [f"{self.indent}{names[0]} = {value}"]
        elif self.choice is _where:
            reason = "a branch has several statements: jnp.where chooses between two values"
            raise Refusal(reason)
        else:
            new = self._cond_lines(names)
        return self._replaced(last, new)

    def _assigned(self) -> list[str]:
        """Names that the branches give a value that is used afterwards."""
        in_yes, in_no = stored(self.node.body), stored(self.node.orelse)
        used = loaded(self.failing.read_after(self.node))
        names = [n for n in dict.fromkeys([*in_yes, *in_no]) if n in used]
        for name in names:
            if (name not in in_yes or name not in in_no) and name not in self.known:
                raise Refusal(f"{name} has a value in only one branch and is used afterwards")
        if not names:
            reason = "the branches assign nothing that is used afterwards"
            raise Refusal(reason)
        return names

    def _value(self, branch: Sequence[ast.stmt], name: str) -> str | None:
        """Text of the value that a branch gives a name, where it is one expression."""
        if not branch:
            return name
        if len(branch) != 1:
            return None
        node = branch[0]
        if isinstance(node, ast.Assign) and [ast.unparse(t) for t in node.targets] == [name]:
            return self.source.text_of(node.value)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            operator = ast.unparse(ast.BinOp(ast.Name("a"), node.op, ast.Name("b")))[2:-2]
            return f"{name} {operator} {_operand(node.value, self.source.text_of(node.value))}"
        if isinstance(node, ast.If):
            yes, no = self._value(node.body, name), self._value(node.orelse, name)
            return None if yes is None or no is None else self.choice(self._test(node), yes, no, self.failing)
        return None

    def _cond_lines(self, names: Sequence[str]) -> list[str]:
        returns = ", ".join(names)
        first = self._function("_when_true", self.node.body, names, returns=returns)
        second = self._function("_when_false", self.node.orelse, names, returns=returns)
        both = first.parameters_with(second)
        call = f"{self.failing.names.lax}.cond({', '.join([self._test(self.node), first.name, second.name, *both])})"
        return [*first.lines(both), *second.lines(both), f"{self.indent}{returns} = {call}"]

    # --- parts

    def _replaced(self, last: int, new: Sequence[str]) -> str:
        """The file with the statement replaced; an ``elif`` becomes an ``else`` that holds the new lines."""
        lines = [*self._comments(last, new), *new]
        if self.source.lines[self.node.lineno - 1].lstrip().startswith("elif"):
            lines = [f"{self.indent}else:", *self.source.deeper("\n".join(lines).split("\n"))]
        return self.source.with_lines(self.node.lineno, last, lines)

    def _test(self, node: ast.If) -> str:
        return predicate_text(node.test, self.source, self.failing.names)

    def _function(
        self, name: str, branch: Sequence[ast.stmt], names: Sequence[str], *, returns: str | None
    ) -> "_BranchFunction":
        # A name that the branch assigns is local to the new function: where it has a value before, it is passed in.
        passed = [n for n in dict.fromkeys([*stored(branch), *names]) if n in self.known]
        lines = self._body_lines(branch)
        if returns is not None:
            lines = [*lines, f"{self.indent}{INDENT}return {returns}"]
        return _BranchFunction(fresh_name(name, self.source.text), passed, self.indent, lines)

    def _body_lines(self, branch: Sequence[ast.stmt]) -> list[str]:
        """Lines of a branch, one level inside the new function."""
        if not branch:
            return []
        lines = self.source.statements_text(branch)
        wanted = len(self.indent) + len(INDENT)
        column = branch[0].col_offset
        if lines and lines[0].lstrip().startswith("elif "):
            lines = [lines[0].replace("elif ", "if ", 1), *lines[1:]]
        if column == wanted:
            return lines
        if column == len(self.indent):
            return self.source.deeper(lines)
        reason = "the branches are indented in an unusual way"
        raise Refusal(reason)

    def _comments(self, last: int, new: Sequence[str]) -> list[str]:
        """Comments of the replaced lines that the new ones do not hold."""
        kept = "\n".join(new)
        return [f"{self.indent}{c}" for c in self.source.comments_in(self.node.lineno, last) if c not in kept]


class _BranchFunction:
    """A branch as a function of its own."""

    def __init__(self, name: str, parameters: list[str], indent: str, body: list[str]):
        self.name = name
        self.parameters = parameters
        self._indent = indent
        self._body = body

    def parameters_with(self, other: "_BranchFunction") -> list[str]:
        """Parameters of both branches: they are called with the same operands."""
        return list(dict.fromkeys([*self.parameters, *other.parameters]))

    def lines(self, parameters: Sequence[str]) -> list[str]:
        """The definition, with an empty line after it."""
        return [f"{self._indent}def {self.name}({', '.join(parameters)}):", *self._body, ""]


def _returns(block: Sequence[ast.stmt]) -> bool:
    """Whether every path through a block ends with a return."""
    if not block:
        return False
    last = block[-1]
    return isinstance(last, ast.Return) or (isinstance(last, ast.If) and _returns(last.body) and _returns(last.orelse))


def _has_return(block: Sequence[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Return) for s in block for n in ast.walk(s))


def _operand(node: ast.expr, text: str) -> str:
    simple = isinstance(node, ast.Name | ast.Constant | ast.Attribute | ast.Call | ast.Subscript)
    return text if simple else f"({text})"
