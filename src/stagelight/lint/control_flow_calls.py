"""``scan``, ``cond``, ``while_loop`` and their relatives: their bodies are traced, with a ``jit`` around or not."""

from __future__ import annotations

import ast
from collections.abc import Callable

import msgspec

from stagelight.lint.arguments import Arguments
from stagelight.lint.arithmetic import number_of, strength_of
from stagelight.lint.events import BranchesTraced, CarryTraced
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.spans import step_at
from stagelight.lint.tracing_context import CallStep, Context, Stage
from stagelight.lint.transformations import Staging
from stagelight.lint.transformed_calls import call_value
from stagelight.lint.value_join import join_all
from stagelight.lint.values import (
    NONE,
    UNKNOWN,
    Array,
    Closure,
    DeviceArray,
    External,
    HostArray,
    Instance,
    Known,
    Mapping,
    Maybe,
    Method,
    Partial,
    Sequence,
    Transformed,
    Tree,
    Unknown,
    Value,
    is_none,
    literal_of,
    origins_of,
)
from stagelight.model.binding_time import BindingTime

_LEGACY_CONDITIONAL = 5
_CALLABLE = (Closure, Method, Partial, Transformed, External)


def call_control_flow(
    machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context
) -> Value:
    """Trace the bodies that a control-flow primitive is given, and return its result."""
    if arguments.has_star:
        return UNKNOWN
    result = CONTROL_FLOW[name](machine, node, arguments, scope, _inside(name, node, context))
    return result if context.is_traced else UNKNOWN


def control_flow_of(value: Value) -> tuple[str, Arguments] | None:
    """Return the primitive that a partial or renamed function stands for, and the arguments it already has."""
    positional: tuple[Value, ...] = ()
    keywords: dict[str, Value] = {}
    while isinstance(value, (Partial, Transformed)):
        if isinstance(value, Partial):
            positional = (*value.arguments, *positional)
            keywords = dict(value.keywords) | keywords
        elif value.transformation.staging is not Staging.PLAIN:
            return None
        value = value.function
    is_one = isinstance(value, External) and value.name in CONTROL_FLOW
    return (value.name, Arguments(positional, keywords)) if isinstance(value, External) and is_one else None


def _inside(name: str, node: ast.Call, context: Context) -> Context:
    step = step_at(node, context.module.path, f"the body is traced by {name}", context.module.lines)
    return msgspec.structs.replace(
        context, stage=Stage.STAGED, calls=CallStep(step, context.calls), depth=context.depth + 1, loop_depth=0
    )


def as_data(value: Value, origin: str = "carry") -> Value:
    """Return a value as the body of a loop sees it: every leaf is a tracer."""
    origins = origins_of(value) or frozenset([origin])
    match value:
        case Array():
            return value
        case Instance() if value.fields is None:
            return value
        case Tree():
            return Tree(value.origins, is_full=True)
        case Sequence():
            return Sequence(tuple(_part_as_data(item, origin) for item in value.items), value.is_list)
        case Mapping():
            return Mapping(tuple((key, _part_as_data(item, origin)) for key, item in value.items))
        case Instance() if value.fields is not None:
            fields = {name: _part_as_data(held, origin) for name, held in value.fields.items()}
            return Instance(value.definition, value.origins, value.is_traced, fields)
        case Known() if is_none(value):
            return NONE
        case Known() if isinstance(literal_of(value), (int, float)) or value.time is BindingTime.METADATA:
            return Array(origins, strength=strength_of(value), number=number_of(value))
        case DeviceArray() | HostArray():
            return Array(origins, strength=strength_of(value), number=number_of(value))
        case Known():
            return Maybe(origins)
        case _:
            return Tree(origins, is_full=True)


def _part_as_data(value: Value, origin: str) -> Value:
    # A part of which nothing is known may be None, or hold no leaves.
    if isinstance(value, (Unknown, Maybe)):
        return Maybe(origins_of(value) or frozenset([origin]), is_operand=True)
    return value if isinstance(value, _CALLABLE) else as_data(value, origin)


def element_as_data(value: Value) -> Value:
    """Return one element of what a loop goes over, as its body sees it."""
    match value:
        case Sequence():
            return Sequence(tuple(map(element_as_data, value.items)), value.is_list)
        case Mapping():
            return Mapping(tuple((key, element_as_data(item)) for key, item in value.items))
        case Known() if is_none(value):
            return NONE
        case Array() | DeviceArray() | HostArray():
            return Array(origins_of(value) or frozenset(["xs"]), strength=strength_of(value), number=number_of(value))
        case Instance():
            return value
        case _:
            return Tree(origins_of(value) or frozenset(["xs"]), is_full=True)


def _scan(machine: Machine, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> Value:
    body, start, over = arguments.get(0, "f"), arguments.get(1, "init"), arguments.get(2, "xs")
    if body is None or start is None:
        return UNKNOWN
    carry = as_data(start)
    element = NONE if over is None else element_as_data(over)
    result = call_value(machine, body, Arguments((carry, element)), context, None, scope)
    is_pair = isinstance(result, Sequence) and len(result.items) == 2
    if isinstance(result, Sequence) and is_pair:
        machine.emit(CarryTraced(node=node, context=context, name="scan", start=start, result=result.items[0]))
    stacked = result.items[1] if isinstance(result, Sequence) and is_pair else UNKNOWN
    return Sequence((_after(carry, start), _stacked(stacked, start, over)))


def _after(carry: Value, start: Value) -> Value:
    return carry if isinstance(carry, (Array, Sequence, Tree, Instance, Mapping)) else Tree(origins_of(start))


def _stacked(element: Value, start: Value, over: Value | None) -> Value:
    if is_none(element):
        return NONE
    origins = origins_of(start, *([over] if over is not None else []))
    if isinstance(element, Array):
        return Array(element.origins | origins, element.is_mask)
    return Tree(origins | frozenset(["scan"]), is_present=True, is_full=True)


def _while_loop(machine: Machine, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> Value:
    test, body, start = arguments.get(0, "cond_fun"), arguments.get(1, "body_fun"), arguments.get(2, "init_val")
    if start is None:
        return UNKNOWN
    carry = as_data(start)
    if test is not None:
        call_value(machine, test, Arguments((carry,)), context, None, scope)
    if body is not None:
        result = call_value(machine, body, Arguments((carry,)), context, None, scope)
        machine.emit(CarryTraced(node=node, context=context, name="while_loop", start=start, result=result))
    return _after(carry, start)


def _fori_loop(machine: Machine, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> Value:
    body, start = arguments.get(2, "body_fun"), arguments.get(3, "init_val")
    if body is None or start is None:
        return UNKNOWN
    carry = as_data(start)
    index = Array(frozenset(["the loop index"]), number="int")
    result = call_value(machine, body, Arguments((index, carry)), context, None, scope)
    machine.emit(CarryTraced(node=node, context=context, name="fori_loop", start=start, result=result))
    return _after(carry, start)


def _cond(machine: Machine, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> Value:
    if len(arguments.positional) == _LEGACY_CONDITIONAL and not isinstance(arguments.positional[1], _CALLABLE):
        # cond(pred, true_operand, true_fun, false_operand, false_fun): each branch has its own operand.
        return UNKNOWN
    branches = (arguments.get(1, "true_fun"), arguments.get(2, "false_fun"))
    return _branches(machine, node, "cond", branches, arguments.positional[3:], scope, context)


def _switch(machine: Machine, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> Value:
    listed = arguments.get(1, "branches")
    branches = listed.items if isinstance(listed, Sequence) else ()
    return _branches(machine, node, "switch", branches, arguments.positional[2:], scope, context)


def _branches(
    machine: Machine,
    node: ast.Call,
    name: str,
    branches: tuple[Value | None, ...],
    operands: tuple[Value, ...],
    scope: Scope,
    context: Context,
) -> Value:
    given = Arguments(tuple(as_data(operand, "operand") for operand in operands))
    results = tuple(
        call_value(machine, branch, given, context, None, scope) if branch is not None else UNKNOWN
        for branch in branches
    )
    if not results:
        return UNKNOWN
    machine.emit(BranchesTraced(node=node, context=context, name=name, results=results))
    joined = join_all(*results)
    if isinstance(joined, Known) and not is_none(joined):
        return Array(origins_of(*operands))
    return joined if isinstance(joined, (Array, Sequence, Tree, Mapping)) else Maybe(origins_of(*operands))


def _map(machine: Machine, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> Value:
    body, over = arguments.get(0, "f"), arguments.get(1, "xs")
    if body is None or over is None:
        return UNKNOWN
    result = call_value(machine, body, Arguments((element_as_data(over),)), context, None, scope)
    return Array(origins_of(over), is_mask=result.is_mask) if isinstance(result, Array) else Tree(origins_of(over))


def _associative_scan(machine: Machine, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> Value:
    body, over = arguments.get(0, "fn"), arguments.get(1, "elems")
    if body is None or over is None:
        return UNKNOWN
    element = element_as_data(over)
    call_value(machine, body, Arguments((element, element)), context, None, scope)
    return element


type _Primitive = Callable[[Machine, ast.Call, Arguments, Scope, Context], Value]

CONTROL_FLOW: dict[str, _Primitive] = {
    "jax.lax.scan": _scan,
    "jax.lax.while_loop": _while_loop,
    "jax.lax.fori_loop": _fori_loop,
    "jax.lax.cond": _cond,
    "jax.lax.switch": _switch,
    "jax.lax.map": _map,
    "jax.lax.associative_scan": _associative_scan,
    "flax.nnx.while_loop": _while_loop,
    "flax.nnx.fori_loop": _fori_loop,
    "flax.nnx.cond": _cond,
    "flax.nnx.switch": _switch,
    "equinox.internal.scan": _scan,
    "equinox.internal.while_loop": _while_loop,
}
"""What each primitive does with its arguments; ``flax.nnx.scan`` is a transformation and not among them."""
