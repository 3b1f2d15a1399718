"""Calls: what is called decides which file interprets it."""

from __future__ import annotations

import ast

from stagelight.lint.arguments import Arguments, evaluate_arguments
from stagelight.lint.attributes import attribute_of
from stagelight.lint.control_flow_calls import call_control_flow, control_flow_of
from stagelight.lint.decorations import decorations_of
from stagelight.lint.events import JitMade
from stagelight.lint.external_calls import call_external
from stagelight.lint.followed_calls import follow_host_call
from stagelight.lint.machine import Machine
from stagelight.lint.method_calls import call_method
from stagelight.lint.objects import construct
from stagelight.lint.pytree_classes import method_of
from stagelight.lint.scope import Scope
from stagelight.lint.static_parameters import StaticParameters, static_parameters
from stagelight.lint.tracing_context import Context
from stagelight.lint.transformations import Staging, Transformation
from stagelight.lint.transformed_calls import announce_call, bound_arguments, call_value, make_transformed
from stagelight.lint.values import (
    UNKNOWN,
    ClassValue,
    Closure,
    External,
    Instance,
    Method,
    Partial,
    Transformed,
    Transformer,
    Value,
)

_CALLED = (External, Closure, Method, ClassValue, Transformed, Transformer, Partial, Instance)
"""What is called as it is, when it is an attribute; of the rest the attribute is a method known by name."""


def evaluate_call(machine: Machine, node: ast.Call, scope: Scope, context: Context) -> Value:
    """``function(arguments)``."""
    if isinstance(node.func, ast.Attribute):
        base = machine.evaluate(node.func.value, scope, context)
        function = attribute_of(machine, base, node.func.attr, context)
        if not isinstance(function, _CALLED):
            arguments = evaluate_arguments(machine, node, scope, context)
            return call_method(machine, base, node.func.attr, node, arguments, scope, context)
    else:
        function = machine.evaluate(node.func, scope, context)
    if isinstance(function, External):
        return call_external(machine, function.name, node, scope, context)
    arguments = evaluate_arguments(machine, node, scope, context)
    return _call(machine, function, node, arguments, scope, context)


def _call(
    machine: Machine, function: Value, node: ast.Call, arguments: Arguments, scope: Scope, context: Context
) -> Value:
    if isinstance(function, Transformer):
        made = arguments.positional[0] if arguments.positional else UNKNOWN
        return make_transformed(machine, function.transformation, made, function.keywords, node, scope, context)
    passed_on = control_flow_of(function)
    if passed_on is not None:
        name, bound = passed_on
        given = Arguments(
            (*bound.positional, *arguments.positional), bound.keywords | arguments.keywords, arguments.has_star
        )
        return call_control_flow(machine, name, node, given, scope, context)
    if isinstance(function, ClassValue):
        return construct(machine, function.definition, arguments, context, node)
    if isinstance(function, Instance):
        return _call_instance(machine, function, node, arguments, scope, context)
    if not context.is_followed:
        _announce(machine, function, node, arguments, scope, context)
        return UNKNOWN
    if isinstance(function, (Closure, Method, Partial, Transformed)):
        return call_value(machine, function, arguments, context, node, scope)
    return UNKNOWN


def _call_instance(
    machine: Machine, function: Instance, node: ast.Call, arguments: Arguments, scope: Scope, context: Context
) -> Value:
    method = method_of(machine, function.definition, "__call__")
    if method is None or not context.is_followed:
        return UNKNOWN
    return call_value(machine, Method(method, function), arguments, context, node, scope)


def _announce(
    machine: Machine, function: Value, node: ast.Call, arguments: Arguments, scope: Scope, context: Context
) -> None:
    if isinstance(function, Transformed):
        if function.transformation.staging is Staging.JIT and isinstance(node.func, ast.Call):
            operand = node.func.args[0] if node.func.args else None
            event = JitMade(
                node=node.func,
                context=context,
                transformation=function.transformation,
                operand=operand,
                value=function.function,
                scope=scope,
                is_called=True,
            )
            machine.emit(event)
        call_value(machine, function, arguments, context, node, scope)
        base = function.function
        if isinstance(base, Closure) and function.transformation.staging is Staging.JIT:
            statics = static_parameters(machine, function.keywords, base.function, scope, context)
            _follow(machine, base, function.transformation, statics, arguments, node, is_decorated=False)
    elif isinstance(function, (Closure, Method)):
        outer = function.scope if isinstance(function, Closure) else None
        decoration = decorations_of(machine, function.function, outer).of(Staging.JIT)
        if decoration is not None and decoration.statics.is_complete:
            names = decoration.statics.names
            announce_call(machine, function.function, names, arguments, node, scope, context)
            if isinstance(function, Closure):
                transformation, statics = decoration.transformation, decoration.statics
                _follow(machine, function, transformation, statics, arguments, node, is_decorated=True)


def _follow(
    machine: Machine,
    function: Closure,
    transformation: Transformation,
    statics: StaticParameters,
    arguments: Arguments,
    node: ast.Call,
    *,
    is_decorated: bool,
) -> None:
    bound = bound_arguments(function.function, arguments, node)
    if bound is not None and statics.is_complete and not decorations_of(machine, function.function).is_opaque:
        follow_host_call(
            machine,
            function.function,
            transformation,
            statics.names,
            bound,
            function.scope,
            is_decorated=is_decorated,
        )
