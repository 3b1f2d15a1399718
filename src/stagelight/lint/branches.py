"""Branches: whose truth Python needs, what a test proves on either side, and how the sides come together."""

from __future__ import annotations

import ast

import msgspec

from stagelight.lint.events import BoolNeeded, Demand
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.value_join import join
from stagelight.lint.values import (
    NONE,
    STATIC,
    UNKNOWN,
    Absent,
    Closure,
    External,
    Instance,
    Known,
    Mapping,
    Maybe,
    Sequence,
    Tree,
    Unknown,
    Value,
    is_none,
    known_from_literal,
    literal_of,
)

_MADE_HERE = (Instance, Sequence, Mapping, Closure)
"""What the program itself made is known better than any test says."""
_GUARD_WORDS = ("tracer", "concrete", "is_traced", "disable_jit", "debug", "type_checking", "in_trace")
_ARRAY_TYPES = ("Array", "ArrayLike", "Tracer", "ArrayImpl")
_STATIC_TYPES = ("int", "float", "str", "bool", "Number", "Integral", "Real", "complex", "bytes")
_ARRAY_ATTRIBUTES = ("shape", "ndim", "dtype", "at", "astype", "aval", "size", "sum")


def truth(machine: Machine, node: ast.expr, scope: Scope, context: Context, demand: Demand) -> Value:
    """Return the truth of a test as a value, announcing that Python needs it."""
    if isinstance(node, ast.BoolOp):
        return _truth_of_operands(machine, node, scope, context, demand)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner: Demand = "not" if demand in ("and", "or") else demand
        value = truth(machine, node.operand, scope, context, inner)
        literal = literal_of(value)
        return value if literal is Absent.LITERAL else known_from_literal(not literal)
    value = machine.evaluate(node, scope, context)
    if context.is_traced:
        machine.emit(BoolNeeded(node=node, context=context, value=value, demand=demand))
    if isinstance(value, (Sequence, Mapping)) and not (isinstance(value, Sequence) and value.is_list):
        return known_from_literal(bool(value.items))
    literal = literal_of(value)
    return value if literal is Absent.LITERAL else known_from_literal(bool(literal))


def _truth_of_operands(machine: Machine, node: ast.BoolOp, scope: Scope, context: Context, demand: Demand) -> Value:
    # Inside `if a and b`, every operand is asked for the sake of the `if`.
    is_and = isinstance(node.op, ast.And)
    narrowed = scope.branch()
    joined: Value | None = None
    for operand in node.values:
        value = truth(machine, operand, narrowed, context, demand)
        narrow(machine, operand, narrowed, context, holds=is_and)
        literal = literal_of(value)
        if literal is not Absent.LITERAL:
            if bool(literal) is not is_and:
                return known_from_literal(not is_and)
            continue
        joined = join(joined, value)
        if _guards(machine, operand):
            context = context.quieted()
    return known_from_literal(is_and) if joined is None else joined


def _guards(machine: Machine, test: ast.expr) -> bool:
    """Whether a test asks if values are concrete: what it guards is meant for the host."""
    key = ("guards", id(test))
    found = machine.notes.get(key)
    if found is None:
        found = machine.notes[key] = _asks_for_tracer(test)
    return found is True


def _asks_for_tracer(test: ast.expr) -> bool:
    for node in ast.walk(test):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name and any(word in name.lower() for word in _GUARD_WORDS):
            return True
    return False


def narrow(machine: Machine, test: ast.expr, scope: Scope, context: Context, *, holds: bool) -> None:
    """Write into the scope what a test proves about names when it holds, or fails."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            narrow(machine, operand, scope, context, holds=not holds)
        case ast.BoolOp(op=op, values=values):
            if isinstance(op, ast.And) is holds:
                for value in values:
                    narrow(machine, value, scope, context, holds=holds)
        case ast.Compare(
            left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]
        ):
            _narrow_none(name, scope, holds=isinstance(op, ast.Is) is holds)
        case ast.NamedExpr(target=ast.Name(id=name)) | ast.Name(id=name) if holds:
            _narrow_none(name, scope, holds=False)
        case ast.Call(func=ast.Name(id="isinstance" | "callable" | "hasattr" as builtin), args=[ast.Name(id=name), *_]):
            _narrow_by_builtin(builtin, name, test, scope, holds=holds)
        case ast.Call(args=[ast.Name(id=name), *_]) if _asks_for_kind(test.func):
            if not isinstance(scope.look_up(name), _MADE_HERE):
                _rebind(name, UNKNOWN, scope)
        case _:
            pass


def _asks_for_kind(function: ast.expr) -> bool:
    name = (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )
    return name.startswith(("is_", "isscalar", "_is_")) and not name.startswith("is_floating")


def _narrow_none(name: str, scope: Scope, *, holds: bool) -> None:
    value = scope.look_up(name)
    if holds:
        _rebind(name, NONE, scope)
    elif value is None or isinstance(value, Unknown) or is_none(value):
        _rebind(name, Unknown(is_present=True), scope)
    elif isinstance(value, (Tree, Maybe)):
        _rebind(name, msgspec.structs.replace(value, is_present=True), scope)


def _narrow_by_builtin(builtin: str, name: str, test: ast.Call, scope: Scope, *, holds: bool) -> None:
    if builtin == "callable":
        if holds:
            _rebind(name, UNKNOWN, scope)
        return
    about = test.args[1] if len(test.args) > 1 else None
    if builtin == "hasattr":
        if not holds and isinstance(about, ast.Constant) and about.value in _ARRAY_ATTRIBUTES:
            _rebind(name, STATIC, scope)
        return
    types = {last_name_of(t) for t in (ast.walk(about) if about is not None else ())}
    names_array = bool(types & set(_ARRAY_TYPES)) or ("ndarray" in types and "jnp" in types)
    if isinstance(scope.look_up(name), _MADE_HERE):
        return
    if holds and not names_array:
        _rebind(name, STATIC if types & set(_STATIC_TYPES) else UNKNOWN, scope)
    elif not holds and names_array:
        _rebind(name, STATIC, scope)


def last_name_of(node: ast.AST) -> str:
    """Return the last part of a dotted name; empty for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _rebind(name: str, value: Value, scope: Scope) -> None:
    before = scope.names.get(name)
    scope.names[name] = value
    if before is not None and not isinstance(before, (Unknown, Known, External)):
        # Another name for the very same value was tested with it: `nbrs = neighbors; if nbrs is None`.
        for other, held in scope.names.items():
            if held is before:
                scope.names[other] = value


def execute_if(machine: Machine, node: ast.If, scope: Scope, context: Context) -> bool:
    """``if``: both sides, or only the one that a constant test leaves."""
    value = truth(machine, node.test, scope, context, "if")
    inner = context.quieted() if context.is_traced and _guards(machine, node.test) else context
    literal = literal_of(value)
    sides: list[Scope] = []
    for body, holds in ((node.body, True), (node.orelse, False)):
        side = scope.branch()
        if literal is not Absent.LITERAL and bool(literal) is not holds:
            continue
        doubted = inner.quieted() if _is_in_doubt(node.test, scope, context, holds=holds) else inner
        narrow(machine, node.test, side, context, holds=holds)
        if not machine.execute(body, side, doubted):
            sides.append(side)
    return come_together(scope, sides)


def _is_in_doubt(test: ast.expr, scope: Scope, context: Context, *, holds: bool) -> bool:
    """Whether it is not proved that control ever gets to this side of a test while tracing."""
    if not context.is_traced:
        return False
    match test:
        case ast.Compare(left=ast.Attribute(attr="ndim" | "shape" | "size"), ops=[ast.Eq() | ast.NotEq() as op]):
            # A side for one particular rank or shape may be meant for calls outside of the trace.
            return isinstance(op, ast.Eq) is holds
        case _ if _asserts_kind(test, holds=holds):
            # What the value is, decides whether control gets here; and that is not known.
            return True
        case _ if not holds:
            return False
        case ast.Call(func=ast.Attribute(attr="issubdtype" | "isdtype")):
            # Nor is it proved which dtype comes in.
            return True
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            # An argument that a caller did pass, but of which nothing is known, is hardly ever None.
            value = scope.look_up(name)
            is_unread = isinstance(value, Known) and value.literal is Absent.LITERAL
            if isinstance(value, Tree):
                # A traced argument that is None is legal, and rare.
                return True
            return context.depth > 0 and (is_unread or isinstance(value, (Unknown, Maybe)))
        case _:
            return False


def _asserts_kind(test: ast.expr, *, holds: bool) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _asserts_kind(operand, holds=not holds)
        case ast.BoolOp(values=values):
            return any(_asserts_kind(value, holds=holds) for value in values)
        case ast.Call(func=ast.Name(id="isinstance" | "callable" | "hasattr" | "issubclass")):
            return holds
        case _:
            return False


def come_together(scope: Scope, sides: list[Scope]) -> bool:
    """Let a scope go on as the join of the sides that reach its end; True when none does."""
    if not sides:
        return True
    scope.become(sides[0])
    for other in sides[1:]:
        scope.merge(scope, other)
    return False


def evaluate_conditional(machine: Machine, node: ast.IfExp, scope: Scope, context: Context) -> Value:
    """``a if test else b``."""
    value = truth(machine, node.test, scope, context, "conditional expression")
    inner = context.quieted() if context.is_traced and _guards(machine, node.test) else context
    literal = literal_of(value)
    joined: Value | None = None
    for branch, holds in ((node.body, True), (node.orelse, False)):
        if literal is not Absent.LITERAL and bool(literal) is not holds:
            continue
        side = scope.branch()
        doubted = inner.quieted() if _is_in_doubt(node.test, scope, context, holds=holds) else inner
        narrow(machine, node.test, side, context, holds=holds)
        joined = join(joined, machine.evaluate(branch, side, doubted))
    return join(joined, None)


def evaluate_bool_operation(machine: Machine, node: ast.BoolOp, scope: Scope, context: Context) -> Value:
    """``a and b``: every operand but the last is asked for its truth, and any may be the result."""
    is_and = isinstance(node.op, ast.And)
    narrowed = scope.branch()
    joined: Value | None = None
    for operand in node.values[:-1]:
        value = truth(machine, operand, narrowed, context, "and" if is_and else "or")
        narrow(machine, operand, narrowed, context, holds=is_and)
        if _guards(machine, operand):
            context = context.quieted()
        literal = literal_of(value)
        if literal is Absent.LITERAL:
            joined = join(joined, value)
        elif bool(literal) is not is_and:
            return machine.evaluate(operand, scope, context.quieted()) if joined is None else UNKNOWN
    return join(joined, machine.evaluate(node.values[-1], narrowed, context))


def execute_match(machine: Machine, node: ast.Match, scope: Scope, context: Context) -> bool:
    """``match``: a value pattern compares, and needs the truth of the comparison."""
    value = machine.evaluate(node.subject, scope, context)
    compares = any(isinstance(p, ast.MatchValue) for case in node.cases for p in ast.walk(case.pattern))
    if compares and context.is_traced:
        machine.emit(BoolNeeded(node=node.subject, context=context, value=value, demand="match"))
    sides: list[Scope] = [] if _covers_all(node) else [scope.branch()]
    for case in node.cases:
        side = scope.branch()
        for pattern in ast.walk(case.pattern):
            if isinstance(pattern, (ast.MatchAs, ast.MatchStar)) and pattern.name:
                side.names[pattern.name] = UNKNOWN
        if case.guard is not None:
            truth(machine, case.guard, side, context, "if")
        if not machine.execute(case.body, side, context):
            sides.append(side)
    return come_together(scope, sides)


def _covers_all(node: ast.Match) -> bool:
    return any(isinstance(c.pattern, ast.MatchAs) and c.pattern.pattern is None and c.guard is None for c in node.cases)
