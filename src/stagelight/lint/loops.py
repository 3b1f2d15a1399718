"""Loops: two rounds are enough, because a name's value only rises and the second round sees what the first made."""

from __future__ import annotations

import ast

from stagelight.lint.assignment import assign, element_of
from stagelight.lint.branches import truth
from stagelight.lint.events import LoopUnrolled
from stagelight.lint.known_items import MOST_ITEMS, is_left_early, items_of
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.value_join import join_all
from stagelight.lint.values import (
    METADATA,
    METADATA_NUMBER,
    STATIC,
    STATIC_NUMBER,
    UNKNOWN,
    Absent,
    Array,
    DeviceArray,
    External,
    Generator,
    HostArray,
    Known,
    Mapping,
    Maybe,
    Sequence,
    Tree,
    Value,
    literal_of,
    may_hold_data,
    origins_of,
)
from stagelight.model.binding_time import BindingTime


def execute_while(machine: Machine, node: ast.While, scope: Scope, context: Context) -> bool:
    """``while``: the test is asked again in the state that the body leaves."""
    inner = context.in_loop()
    for _ in range(2):
        truth(machine, node.test, scope, context, "while")
        before = dict(scope.names)
        _one_round(machine, node, scope, inner)
        if scope.names == before:
            break
    machine.execute(node.orelse, scope, context)
    return False


def execute_for(machine: Machine, node: ast.For | ast.AsyncFor, scope: Scope, context: Context) -> bool:
    """``for``: unrolled while tracing, one copy of the body per element."""
    iterated = machine.evaluate(node.iter, scope, context)
    element = element_of_iteration(machine, node.iter, iterated, scope, context)
    count = count_of_rounds(machine, node.iter, iterated, scope, context)
    inner = context.in_loop()
    start = dict(scope.names)
    items = _items_to_follow(machine, node, iterated, context)
    if items is None:
        _two_rounds(machine, node, scope, inner, element)
    elif _each_round(machine, node, items, scope, inner):
        return True
    if context.is_staged:
        makes_data = any(may_hold_data(value) and start.get(name) is not value for name, value in scope.names.items())
        machine.emit(LoopUnrolled(node=node, context=context, iterated=iterated, count=count, makes_data=makes_data))
    machine.execute(node.orelse, scope, context)
    return False


def _two_rounds(machine: Machine, node: ast.For | ast.AsyncFor, scope: Scope, context: Context, element: Value) -> None:
    for _ in range(2):
        before = dict(scope.names)
        _one_round(machine, node, scope, context, element)
        if scope.names == before:
            break


def _items_to_follow(
    machine: Machine, node: ast.For | ast.AsyncFor, iterated: Value, context: Context
) -> tuple[Value, ...] | None:
    if not context.is_traced or is_left_early(node.body):
        return None
    items = items_of(machine, iterated)
    return items if items is not None and len(items) <= MOST_ITEMS else None


def _each_round(
    machine: Machine, node: ast.For | ast.AsyncFor, items: tuple[Value, ...], scope: Scope, context: Context
) -> bool:
    loops = scope.loops
    scope.loops = (*loops, node)
    is_left = False
    for item in items:
        assign(machine, node.target, item, scope, context)
        is_left = machine.execute(node.body, scope, context)
        if is_left:
            break
    scope.loops = loops
    return is_left


def _one_round(
    machine: Machine, node: ast.While | ast.For | ast.AsyncFor, scope: Scope, context: Context, element: Value = UNKNOWN
) -> None:
    side = scope.branch()
    side.loops = (*scope.loops, node)
    if not isinstance(node, ast.While):
        assign(machine, node.target, element, side, context)
    machine.execute(node.body, side, context)
    scope.merge(scope, side)


def element_of_iteration(machine: Machine, node: ast.expr, iterated: Value, scope: Scope, context: Context) -> Value:
    """Return the value that a loop variable takes."""
    if isinstance(node, ast.Call):
        quiet = context.quieted()
        arguments = [machine.evaluate(a, scope, quiet) for a in node.args if not isinstance(a, ast.Starred)]
        if isinstance(node.func, ast.Name) and isinstance(machine.evaluate(node.func, scope, quiet), External):
            found = _element_of_builtin(node.func.id, arguments, has_star=len(arguments) < len(node.args))
            if found is not None:
                return found
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("items", "keys", "values"):
            return _element_of_dictionary(machine.evaluate(node.func.value, scope, quiet), node.func.attr)
    if isinstance(iterated, Tree):
        # Iterating a dictionary gives its keys, iterating an array its rows.
        return Maybe(iterated.origins)
    if isinstance(iterated, Mapping):
        return STATIC
    return element_of(iterated)


def _element_of_builtin(name: str, arguments: list[Value], *, has_star: bool) -> Value | None:
    if name == "range":
        if all(isinstance(a, Known) for a in arguments):
            is_metadata = any(isinstance(a, Known) and a.time is BindingTime.METADATA for a in arguments)
            return METADATA_NUMBER if is_metadata else STATIC_NUMBER
        return UNKNOWN
    if name == "enumerate" and arguments:
        return Sequence((STATIC_NUMBER, element_of(arguments[0])))
    if name == "zip":
        return UNKNOWN if has_star else Sequence(tuple(map(element_of, arguments)))
    if name == "reversed" and arguments:
        return element_of(arguments[0])
    return None


def _element_of_dictionary(base: Value, method: str) -> Value:
    if method == "keys":
        return METADATA
    if isinstance(base, Mapping):
        held = element_of(Sequence(tuple(value for _, value in base.items)))
    elif isinstance(base, (Tree, Maybe)):
        held = element_of(base)
    else:
        return UNKNOWN
    return Sequence((METADATA, held)) if method == "items" else held


def count_of_rounds(machine: Machine, node: ast.expr, iterated: Value, scope: Scope, context: Context) -> int | None:
    """Return how often a loop over an expression runs, where the source shows it."""
    if isinstance(iterated, (Sequence, Mapping)):
        return len(iterated.items)
    if isinstance(iterated, (HostArray, DeviceArray)):
        return iterated.length
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        numbers = [literal_of(machine.evaluate(a, scope, context.quieted())) for a in node.args]
        whole = [n for n in numbers if isinstance(n, int)]
        if numbers and len(whole) == len(numbers) and 0 not in whole[2:]:
            return len(range(*whole))
    return None


def _followed(
    machine: Machine,
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
    scope: Scope,
    context: Context,
) -> Value | None:
    """Return the items of a comprehension over known items, or None where it cannot be followed one by one."""
    generator = node.generators[0]
    if not context.is_traced or len(node.generators) > 1 or isinstance(node, (ast.SetComp, ast.DictComp)):
        return None
    iterated = machine.evaluate(generator.iter, scope, context)
    items = items_of(machine, iterated)
    if items is None or len(items) > MOST_ITEMS:
        return None
    held: list[Value] = []
    for item in items:
        assign(machine, generator.target, item, scope, context)
        answers = [literal_of(truth(machine, test, scope, context, "comprehension")) for test in generator.ifs]
        if Absent.LITERAL in answers:
            return None
        if all(answers):
            held.append(machine.evaluate(node.elt, scope, context))
    if isinstance(node, ast.GeneratorExp):
        return Generator(join_all(*held), tuple(held))
    return Sequence(tuple(held), is_list=True)


def evaluate_comprehension(
    machine: Machine,
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
    scope: Scope,
    context: Context,
) -> Value:
    """``[f(x) for x in xs if test]`` and its relatives, by the value of one element."""
    inner = Scope(scope)
    inner.loops = (*scope.loops, node)
    inner.returns = scope.returns
    context = context.in_loop()
    followed = _followed(machine, node, inner, context)
    if followed is not None:
        return followed
    for generator in node.generators:
        iterated = machine.evaluate(generator.iter, inner, context)
        element = element_of_iteration(machine, generator.iter, iterated, inner, context)
        assign(machine, generator.target, element, inner, context)
        for test in generator.ifs:
            truth(machine, test, inner, context, "comprehension")
    if isinstance(node, ast.DictComp):
        machine.evaluate(node.key, inner, context)
        value = machine.evaluate(node.value, inner, context)
        return Maybe(origins_of(value)) if may_hold_data(value) else UNKNOWN
    value = machine.evaluate(node.elt, inner, context)
    if isinstance(node, ast.GeneratorExp):
        return Generator(value)
    if isinstance(value, (Array, Tree)):
        return Tree(value.origins, is_present=True)
    return Maybe(origins_of(value)) if may_hold_data(value) else value if isinstance(value, Known) else UNKNOWN
