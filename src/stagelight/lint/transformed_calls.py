"""Calls that make a transformed function, and calls of what they made."""

from __future__ import annotations

import ast

from stagelight.lint.arguments import Arguments
from stagelight.lint.decorated_functions import decorated
from stagelight.lint.decorations import decorations_of
from stagelight.lint.definitions import FunctionDefinition
from stagelight.lint.entries import announce_entry, trace, unmapped_parameters
from stagelight.lint.events import EntryCalled, JitMade
from stagelight.lint.function_calls import call_function
from stagelight.lint.jax_calls import result_of_named
from stagelight.lint.machine import Machine
from stagelight.lint.pytree_classes import method_of
from stagelight.lint.scope import Scope
from stagelight.lint.static_parameters import static_parameters
from stagelight.lint.tracing_context import Context, Stage
from stagelight.lint.transformations import Staging, Transformation
from stagelight.lint.values import (
    STATIC,
    UNKNOWN,
    Array,
    Closure,
    External,
    Instance,
    Known,
    Method,
    Partial,
    Sequence,
    Transformed,
    Tree,
    Value,
    is_none,
    literal_of,
    origins_of,
)


def make_transformed(
    machine: Machine,
    transformation: Transformation,
    function: Value,
    keywords: tuple[ast.keyword, ...],
    node: ast.Call,
    scope: Scope,
    context: Context,
) -> Value:
    """Return ``jax.jit(f)`` and the like; on the host the trace that it will make is followed at once."""
    if not context.is_traced and transformation.staging in (Staging.JIT, Staging.STAGE, Staging.BATCH):
        _follow(machine, transformation, function, keywords, node, scope, context)
        if transformation.staging is Staging.JIT:
            operand = node.args[0] if node.args else None
            machine.emit(
                JitMade(
                    node=node,
                    context=context,
                    transformation=transformation,
                    operand=operand,
                    value=function,
                    scope=scope,
                    is_called=False,
                )
            )
    return Transformed(transformation, function, keywords)


def _follow(
    machine: Machine,
    transformation: Transformation,
    value: Value,
    keywords: tuple[ast.keyword, ...],
    node: ast.Call,
    scope: Scope,
    context: Context,
) -> None:
    if transformation.name == "jax.shard_map":
        # Outside of a jit it computes at once, with values that Python can ask for (JAX 0.12, jax/_src/shard_map.py).
        return
    base, given, is_batched = _unwrapped(value)
    if not isinstance(base, (Closure, Method)):
        return
    function = base.function
    is_bound = isinstance(base, Method)
    statics = static_parameters(machine, keywords, function, scope, context, is_bound=is_bound)
    if transformation.staging is Staging.JIT and value is base:
        announce_entry(machine, function, transformation, statics, keywords, node, context, is_bound=is_bound)
    shifts_numbers = value is not base and any(keyword.arg == "static_argnums" for keyword in keywords)
    if not statics.is_complete or shifts_numbers or decorations_of(machine, function).is_opaque:
        return
    unmapped: frozenset[str] | None = frozenset()
    if transformation.staging is Staging.BATCH:
        unmapped = unmapped_parameters(function, _with_positional_axes(keywords, node), is_bound=is_bound)
    if unmapped is None:
        return
    positional = function.parameters.positional[1:] if is_bound else function.parameters.positional
    passed = dict(zip(positional, given.positional, strict=False)) | given.keywords
    bound: dict[str, Value] = {
        name: held if isinstance(held, (Known, Closure)) else UNKNOWN for name, held in passed.items()
    }
    if isinstance(base, Method):
        bound[function.parameters.positional[0]] = base.owner
    trace(
        machine,
        function,
        transformation,
        stage=Stage.BATCHED if transformation.staging is Staging.BATCH and not is_batched else Stage.STAGED,
        statics=statics.names,
        unmapped=unmapped,
        given=bound,
        parent=base.scope if isinstance(base, Closure) else None,
    )


def _with_positional_axes(keywords: tuple[ast.keyword, ...], node: ast.Call) -> tuple[ast.keyword, ...]:
    return (*keywords, ast.keyword("in_axes", node.args[1])) if len(node.args) > 1 else keywords


def _unwrapped(value: Value) -> tuple[Value, Arguments, bool]:
    positional: tuple[Value, ...] = ()
    keywords: dict[str, Value] = {}
    is_batched = False
    while isinstance(value, (Partial, Transformed)):
        if isinstance(value, Partial):
            positional = (*value.arguments, *positional)
            keywords = dict(value.keywords) | keywords
        elif value.transformation.staging is Staging.JIT:
            # A jit inside was followed when it was made.
            return UNKNOWN, Arguments(), False
        value = value.function
    return value, Arguments(positional, keywords), is_batched


def call_transformed(
    machine: Machine,
    value: Transformed,
    arguments: Arguments,
    context: Context,
    node: ast.Call | None,
    scope: Scope,
) -> Value:
    """Call a transformed function: inside a trace its body is interpreted, on the host the call is announced."""
    staging = value.transformation.staging
    if not context.is_traced:
        if staging is Staging.JIT and node is not None and isinstance(value.function, Closure):
            function = value.function.function
            statics = static_parameters(machine, value.keywords, function, scope, context)
            announce_call(machine, function, statics.names, arguments, node, scope, context)
        return UNKNOWN
    if staging in (Staging.JIT, Staging.STAGE):
        given = arguments if value.transformation.is_filtered else _as_traced(arguments)
        return call_value(machine, value.function, given, context.staged(), node, scope)
    result = call_value(machine, value.function, arguments, context, node, scope)
    if staging is Staging.DIFFERENTIATE:
        return _gradient(value, arguments, result)
    return result


def _as_traced(arguments: Arguments) -> Arguments:
    positional = tuple(map(as_traced, arguments.positional))
    return Arguments(positional, {n: as_traced(v) for n, v in arguments.keywords.items()}, arguments.has_star)


def as_traced(value: Value) -> Value:
    """Return a Python number as the tracer that a staged function sees in its place."""
    literal = literal_of(value)
    if isinstance(value, Sequence):
        return Sequence(tuple(map(as_traced, value.items)), value.is_list)
    if isinstance(literal, (int, float)):
        return Array(strength="weak", number="float" if isinstance(literal, float) else "int")
    return value


def _gradient(value: Transformed, arguments: Arguments, result: Value) -> Value:
    first = arguments.positional[0] if arguments.positional else UNKNOWN
    origins = origins_of(*arguments.all())
    slope: Value = Array(origins) if isinstance(first, Array) else Tree(origins)
    name = value.transformation.name.rpartition(".")[2]
    if any(keyword.arg in ("has_aux", "argnums") for keyword in value.keywords):
        return UNKNOWN if "value_and_grad" not in name else Sequence((result, Tree(origins)))
    if name.endswith("value_and_grad"):
        return Sequence((result if not is_none(result) else UNKNOWN, slope))
    return slope if name.endswith("grad") else Tree(origins)


def call_value(
    machine: Machine, value: Value, arguments: Arguments, context: Context, node: ast.Call | None, scope: Scope
) -> Value:
    """Call an abstract function value inside a trace."""
    match value:
        case Closure():
            return _call_closure(machine, value, arguments, context, node)
        case Method():
            return _call_method(machine, value, arguments, context, node, scope)
        case Partial():
            joined = Arguments(
                (*value.arguments, *arguments.positional),
                dict(value.keywords) | arguments.keywords,
                arguments.has_star,
            )
            return call_value(machine, value.function, joined, context, node, scope)
        case Transformed():
            return call_transformed(machine, value, arguments, context, node, scope)
        case Instance():
            method = method_of(machine, value.definition, "__call__")
            if method is None:
                return UNKNOWN
            return _call_method(machine, Method(method, value), arguments, context, node, scope)
        case External():
            return result_of_named(value.name, arguments, context)
        case _:
            return UNKNOWN


def _call_method(
    machine: Machine, value: Method, arguments: Arguments, context: Context, node: ast.Call | None, scope: Scope
) -> Value:
    function = value.function
    if decorations_of(machine, function).is_opaque:
        made = decorated(machine, function, function.scope, context, call=call_value)
        given = Arguments((value.owner, *arguments.positional), arguments.keywords, arguments.has_star)
        return call_value(machine, made, given, context, node, scope)
    return call_function(machine, function, arguments, context, node=node, owner=value.owner)


def _call_closure(
    machine: Machine, value: Closure, arguments: Arguments, context: Context, node: ast.Call | None
) -> Value:
    function = value.function
    decorations = decorations_of(machine, function, value.scope)
    if decorations.is_opaque and not value.is_bare:
        made = decorated(machine, function, value.scope, context, call=call_value)
        return call_value(machine, made, arguments, context, node, value.scope or Scope())
    if decorations.is_staged:
        context = context.staged()
        staged = decorations.of(Staging.JIT) or decorations.transformations[0]
        if not staged.transformation.is_filtered:
            arguments = _except_statics(function, arguments, staged.statics.names)
    result = call_function(machine, function, arguments, context, node=node, scope=value.scope)
    differentiated = decorations.of(Staging.DIFFERENTIATE)
    if differentiated is not None:
        return _gradient(Transformed(differentiated.transformation, value, differentiated.keywords), arguments, result)
    return result


def _except_statics(function: FunctionDefinition, arguments: Arguments, statics: frozenset[str]) -> Arguments:
    names = function.parameters.positional
    positional = tuple(
        value if position < len(names) and names[position] in statics else as_traced(value)
        for position, value in enumerate(arguments.positional)
    )
    keywords = {n: value if n in statics else as_traced(value) for n, value in arguments.keywords.items()}
    return Arguments(positional, keywords, arguments.has_star)


def announce_call(
    machine: Machine,
    function: FunctionDefinition,
    statics: frozenset[str],
    arguments: Arguments,
    node: ast.Call,
    scope: Scope,
    context: Context,
) -> None:
    """Tell the rules that the host calls a jitted function, and what each parameter gets."""
    bound = bound_arguments(function, arguments, node)
    if bound is not None:
        event = EntryCalled(node=node, context=context, function=function, statics=statics, bound=bound, scope=scope)
        machine.emit(event)


def bound_arguments(
    function: FunctionDefinition, arguments: Arguments, node: ast.Call
) -> dict[str, tuple[ast.expr, Value]] | None:
    """Return what a call passes to each parameter; None where an argument list of unknown length is spread."""
    if arguments.has_star or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    positional = function.parameters.positional
    if function.takes_self and function.owner is not None and isinstance(node.func, ast.Attribute):
        positional = positional[1:]
    bound = {
        name: (argument, value)
        for name, argument, value in zip(positional, node.args, arguments.positional, strict=False)
    }
    for keyword in node.keywords:
        if keyword.arg is not None:
            bound[keyword.arg] = (keyword.value, arguments.keywords.get(keyword.arg, STATIC))
    return bound
