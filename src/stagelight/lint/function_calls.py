"""Calls of the program's own functions: their bodies are interpreted with the values of the arguments."""

from __future__ import annotations

import ast

import msgspec

from stagelight.lint.annotations import Annotated, annotated_kind, last_name
from stagelight.lint.arguments import Arguments
from stagelight.lint.definitions import FunctionDefinition
from stagelight.lint.events import FunctionTraced
from stagelight.lint.machine import Machine
from stagelight.lint.pytree_classes import is_pytree_class
from stagelight.lint.scope import Scope
from stagelight.lint.spans import shown, step_at
from stagelight.lint.tracing_context import CallStep, Context
from stagelight.lint.value_join import join_all
from stagelight.lint.value_key import value_key
from stagelight.lint.values import (
    NONE,
    STATIC,
    UNKNOWN,
    Array,
    ClassValue,
    Closure,
    External,
    Instance,
    Mapping,
    Maybe,
    Partial,
    Sequence,
    Tree,
    Unknown,
    Value,
    known_from_literal,
    may_hold_data,
    origins_of,
)

_DEEPEST_CALL = 24
_DEEPEST_REPORT = 8
"""So many calls deep, some test on the way is likely to keep the values of this caller out."""


def call_function(
    machine: Machine,
    function: FunctionDefinition,
    arguments: Arguments,
    context: Context,
    *,
    node: ast.AST | None = None,
    scope: Scope | None = None,
    owner: Value | None = None,
) -> Value:
    """Interpret a function of the program for one call, and return what it returns.

    Calls with the same abstract arguments are interpreted once; recursion gives Unknown.
    """
    if context.depth > _DEEPEST_CALL or function.is_abstract:
        return UNKNOWN
    inner = Scope(scope, _bound(machine, function, arguments, context, owner))
    inner.is_traced = context.is_traced
    key = (
        id(function.node),
        tuple((name, value_key(value)) for name, value in inner.names.items()),
        context.stage,
        context.is_quiet,
        id(scope),
    )
    # A constructor writes into the object it is given: each object needs a run of its own.
    is_remembered = not any(owner is instance for instance in machine.under_construction)
    if is_remembered and key in machine.memo:
        return machine.memo[key]
    if machine.active.count(function) > 1:
        return UNKNOWN
    machine.kept.append(inner)
    machine.memo[key] = UNKNOWN
    result = run_body(machine, function, inner, _called(function, arguments, context, node))
    if function.is_generator:
        result = Tree(origins_of(result)) if may_hold_data(result) else UNKNOWN
    machine.memo[key] = result = _as_annotated(machine, function, result, inner, context)
    return result


def run_body(machine: Machine, function: FunctionDefinition, scope: Scope, context: Context) -> Value:
    """Interpret a function's body in a scope that holds its parameters."""
    machine.active.append(function)
    try:
        if isinstance(function.node, ast.Lambda):
            return machine.evaluate(function.node.body, scope, context)
        if not machine.execute(function.node.body, scope, context):
            scope.returns.append(NONE)
        result = join_all(*scope.returns)
        if context.is_traced:
            machine.emit(FunctionTraced(node=function.node, context=context, function=function, result=result))
        return result
    finally:
        machine.active.pop()


def _called(function: FunctionDefinition, arguments: Arguments, context: Context, node: ast.AST | None) -> Context:
    calls = context.calls
    if node is not None and context.is_traced:
        what = sorted(origins_of(*arguments.all()))
        fed = f" with data from {', '.join(what[:3])}" if what else ""
        name = function.name if function.plain_name != "<lambda>" else shown(function.node)
        step = step_at(node, context.module.path, f"calls {name}{fed}", context.module.lines)
        calls = CallStep(step, calls)
    if context.depth >= _DEEPEST_REPORT:
        context = context.quieted()
    return msgspec.structs.replace(
        context, module=function.module, function=function, calls=calls, depth=context.depth + 1, loop_depth=0
    )


def _bound(
    machine: Machine,
    function: FunctionDefinition,
    arguments: Arguments,
    context: Context,
    owner: Value | None,
) -> dict[str, Value]:
    parameters = function.parameters
    names: dict[str, Value] = {}
    positional = list(parameters.positional)
    if owner is not None and positional:
        names[positional.pop(0)] = owner
    rest = list(arguments.positional)
    for name in positional:
        names[name] = rest.pop(0) if rest else _passed_or_default(machine, function, name, arguments)
    for name in parameters.keyword_only:
        names[name] = _passed_or_default(machine, function, name, arguments)
    if parameters.star:
        names[parameters.star] = UNKNOWN if arguments.has_star else Sequence(tuple(rest))
    if parameters.double_star:
        left = tuple((name, value) for name, value in arguments.keywords.items() if name not in parameters.names)
        names[parameters.double_star] = UNKNOWN if arguments.has_star else Mapping(left)
    if context.is_staged:
        _refine(machine, function, names)
    return names


def _passed_or_default(machine: Machine, function: FunctionDefinition, name: str, arguments: Arguments) -> Value:
    passed = arguments.keywords.get(name)
    if passed is not None:
        return passed
    default = function.parameters.defaults.get(name)
    return UNKNOWN if arguments.has_star or default is None else default_value(machine, function, default)


def default_value(machine: Machine, function: FunctionDefinition, default: ast.expr) -> Value:
    """Return the value of a parameter's default, which is evaluated where the function is defined."""
    if isinstance(default, ast.Constant):
        return known_from_literal(default.value)
    context = Context(module=function.module, is_quiet=True, follows_calls=True)
    value = machine.evaluate(default, function.scope or Scope(), context)
    is_fixed = isinstance(value, Sequence) and not value.is_list
    is_fixed = is_fixed or (isinstance(value, Mapping) and isinstance(default, ast.Call))
    return value if is_fixed or isinstance(value, (Closure, External, ClassValue, Instance, Partial)) else STATIC


def _refine(machine: Machine, function: FunctionDefinition, names: dict[str, Value]) -> None:
    for node in function.parameters.nodes:
        value = names.get(node.arg)
        if isinstance(value, Tree) and value.is_parameter:
            # It was a parameter of the entry; here it is an argument, and may be handled by type.
            value = names[node.arg] = Tree(value.origins, is_present=value.is_present, is_full=value.is_full)
        if node.annotation is None or not isinstance(value, (Tree, Maybe)):
            continue
        kind = annotated_kind(node.annotation)
        if kind is Annotated.ARRAY:
            names[node.arg] = Array(value.origins)
        elif kind is Annotated.CLASS:
            names[node.arg] = instance_of(machine, function, node.annotation, value) or value


def instance_of(
    machine: Machine, function: FunctionDefinition, annotation: ast.expr, value: Tree | Maybe
) -> Value | None:
    """Return a traced object of the class that an annotation names, when that class is a pytree of the program."""
    if not isinstance(annotation, ast.Name):
        return None
    named = machine.global_value(function.module, last_name(annotation))
    if isinstance(named, ClassValue) and is_pytree_class(machine, named.definition):
        return Instance(named.definition, value.origins, is_traced=True)
    return None


def _as_annotated(
    machine: Machine, function: FunctionDefinition, result: Value, scope: Scope, context: Context
) -> Value:
    if isinstance(function.node, ast.Lambda) or not context.is_staged:
        return result
    if not isinstance(result, (Unknown, Maybe, Tree)) or annotated_kind(function.node.returns) is not Annotated.ARRAY:
        return result
    fed = [value for value in scope.names.values() if may_hold_data(value)]
    return Array(origins_of(*fed)) if fed else result
