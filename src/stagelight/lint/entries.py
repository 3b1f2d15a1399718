"""Entry points: where traces start, and where the host makes and calls traced functions."""

from __future__ import annotations

import ast
import re

import msgspec

from stagelight.lint.decorations import Decoration, decorations_of
from stagelight.lint.definitions import FunctionDefinition
from stagelight.lint.entry_scope import entry_scope
from stagelight.lint.events import EntryMade, HostRead, JitMade
from stagelight.lint.function_calls import run_body
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.spans import step_at
from stagelight.lint.static_parameters import StaticParameters
from stagelight.lint.tracing_context import CallStep, Context, Stage
from stagelight.lint.transformations import Staging, Transformation
from stagelight.lint.value_key import value_key
from stagelight.lint.values import UNKNOWN, Instance, Value

STAGING_WORDS = re.compile(
    r"\b(?:\w*jit|pmap|vmap|scan|while_loop|fori_loop|cond|switch|associative_scan|checkpoint|remat|shard_map|"
    r"filter_\w+|make_jaxpr|eval_shape|lax)\b"
)


def context_of_trace(
    function: FunctionDefinition, stage: Stage, transformation: str, *, is_quiet: bool = False
) -> Context:
    """Return the context in which the body of an entry point is interpreted."""
    module = function.module
    name = function.plain_name if function.plain_name != "<lambda>" else "this lambda"
    step = step_at(function.node, module.path, f"{name} is traced by {transformation}", module.lines)
    return Context(
        module=module,
        stage=stage,
        function=function,
        transformation=transformation,
        calls=CallStep(step),
        is_quiet=is_quiet,
    )


def enter_module_function(machine: Machine, function: FunctionDefinition, words: re.Pattern[str]) -> None:
    """Interpret a top-level function or method: as an entry point if it is one, else on the host."""
    if _enter_decorated(machine, function, None, None):
        return
    if machine.is_assumed_traced(function):
        context = context_of_trace(function, Stage.STAGED, "an assumed caller")
        run_body(machine, function, entry_scope(machine, function, is_assumed=True), context)
    elif not isinstance(function.node, ast.Lambda) and words.search(function.module.segment(function.node)):
        context = Context(module=function.module, function=function)
        scope = _host_scope(function, None)
        run_body(machine, function, scope, context)
        machine.emit(
            HostRead(node=function.node, context=context, module=function.module, function=function, scope=scope)
        )


def enter_local_function(machine: Machine, function: FunctionDefinition, scope: Scope, context: Context) -> None:
    """Interpret a function where it is defined inside another, unless that is traced: then when it is called."""
    if context.is_traced or isinstance(function.node, ast.Lambda):
        return
    if _enter_decorated(machine, function, scope, context):
        return
    inner = msgspec.structs.replace(context, function=function, loop_depth=0)
    run_body(machine, function, _host_scope(function, scope), inner)


def _host_scope(function: FunctionDefinition, parent: Scope | None) -> Scope:
    parameters = function.parameters
    stars = [name for name in (parameters.star, parameters.double_star) if name]
    scope = Scope(parent, dict.fromkeys((*parameters.names, *stars), UNKNOWN))
    if function.takes_self and function.owner is not None:
        scope.names[parameters.positional[0]] = Instance(function.owner)
    return scope


def _enter_decorated(
    machine: Machine, function: FunctionDefinition, scope: Scope | None, outer: Context | None
) -> bool:
    decorations = decorations_of(machine, function, scope)
    staged = decorations.of(Staging.JIT) or decorations.of(Staging.STAGE)
    batched = decorations.of(Staging.BATCH)
    decoration = staged or batched
    if decoration is None:
        return False
    if decoration.transformation.staging is Staging.JIT:
        _announce_entry(machine, function, decoration, scope, outer)
    if decorations.is_opaque or not decoration.statics.is_complete:
        return True
    stage = Stage.STAGED if staged else Stage.BATCHED
    unmapped = unmapped_parameters(function, decoration.keywords) if staged is None else frozenset[str]()
    if unmapped is None:
        return True
    trace(
        machine,
        function,
        decoration.transformation,
        stage=stage,
        statics=decoration.statics.names,
        unmapped=unmapped,
        is_decorated=True,
        parent=scope,
    )
    return True


def _announce_entry(
    machine: Machine, function: FunctionDefinition, decoration: Decoration, scope: Scope | None, outer: Context | None
) -> None:
    context = Context(module=function.module, function=function)
    announce_entry(
        machine, function, decoration.transformation, decoration.statics, decoration.keywords, decoration.node, context
    )
    if outer is not None and scope is not None and not isinstance(function.node, ast.Lambda):
        machine.emit(
            JitMade(
                node=function.node,
                context=outer,
                transformation=decoration.transformation,
                operand=None,
                value=UNKNOWN,
                scope=scope,
                is_called=False,
            )
        )


def announce_entry(
    machine: Machine,
    function: FunctionDefinition,
    transformation: Transformation,
    statics: StaticParameters,
    keywords: tuple[ast.keyword, ...],
    node: ast.AST,
    context: Context,
    *,
    is_bound: bool = False,
) -> None:
    """Tell the rules that a function of the program got a cache."""
    machine.emit(
        EntryMade(
            node=node,
            context=context,
            function=function,
            transformation=transformation,
            statics=statics.names,
            misnamed=statics.misnamed,
            keywords=keywords,
            is_decorator=node in function.decorators,
            is_bound=is_bound,
        )
    )


def trace(
    machine: Machine,
    function: FunctionDefinition,
    transformation: Transformation,
    *,
    stage: Stage,
    statics: frozenset[str] = frozenset(),
    unmapped: frozenset[str] = frozenset(),
    given: dict[str, Value] | None = None,
    is_decorated: bool = False,
    parent: Scope | None = None,
) -> None:
    """Interpret the body of an entry point, once for each way in which it is entered."""
    scope = entry_scope(
        machine,
        function,
        statics=statics,
        unmapped=unmapped,
        is_filtered=transformation.is_filtered,
        is_decorated=is_decorated,
        parent=parent,
    )
    scope.names.update(given or {})
    told = frozenset((name, value_key(value)) for name, value in (given or {}).items())
    key = ("entry", id(function.node), id(parent), stage, statics, unmapped, told)
    if key not in machine.notes:
        machine.notes[key] = True
        run_body(machine, function, scope, context_of_trace(function, stage, transformation.name))


def unmapped_parameters(
    function: FunctionDefinition, keywords: tuple[ast.keyword, ...], *, is_bound: bool = False
) -> frozenset[str] | None:
    """Return the parameters that ``in_axes`` leaves unmapped, or None where that cannot be read."""
    node = next((keyword.value for keyword in keywords if keyword.arg == "in_axes"), None)
    if node is None:
        return frozenset()
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return frozenset()
    if not isinstance(node, (ast.Tuple, ast.List)):
        return None
    positional = function.parameters.positional[1:] if is_bound else function.parameters.positional
    return frozenset(name for name, axis in zip(positional, node.elts, strict=False) if not _is_mapped(axis))


def _is_mapped(axis: ast.expr) -> bool:
    # `None`, and anything that is not written out as a number, maps nothing for certain.
    return isinstance(axis, (ast.Constant, ast.UnaryOp)) and ast.unparse(axis).lstrip("-").isdigit()
