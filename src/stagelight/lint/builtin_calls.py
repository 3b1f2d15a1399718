"""Calls of Python's builtins."""

from __future__ import annotations

import ast
from collections.abc import Callable

from stagelight.lint.arguments import Arguments
from stagelight.lint.assignment import element_of
from stagelight.lint.events import ExtremeNeeded, HostCalled, IndexNeeded, NumberNeeded
from stagelight.lint.jax_names import METADATA_ATTRIBUTES
from stagelight.lint.kinds import asked_kind
from stagelight.lint.known_items import counted_range, enumerated, items_of, zipped
from stagelight.lint.machine import Machine
from stagelight.lint.object_access import access_object
from stagelight.lint.proved_times import holds_tracer
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.transformed_calls import call_value
from stagelight.lint.values import (
    CONSTANT,
    METADATA,
    NONE,
    STATIC,
    UNKNOWN,
    Array,
    ClassValue,
    Closure,
    DeviceArray,
    Generator,
    HostArray,
    Instance,
    Known,
    Mapping,
    Maybe,
    Method,
    Sequence,
    Super,
    Tree,
    Unknown,
    Value,
    has_array,
    is_parameter,
    may_hold_data,
    origins_of,
)
from stagelight.model.binding_time import BindingTime

_ASKS_STRUCTURE = frozenset(["isinstance", "hasattr", "callable", "type", "id", "issubclass", "dir"])
_GIVES_TEXT = frozenset(["str", "repr", "ascii", "format", "chr"])
_KEEPS_ELEMENTS = frozenset(["zip", "enumerate", "reversed"])


def call_builtin(
    machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context
) -> Value:
    """Return what a builtin returns, announcing what it asks of a tracer."""
    if name == "len":
        return _length(arguments)
    if name == "type" and len(arguments.positional) == 1 and isinstance(arguments.positional[0], Instance):
        return ClassValue(arguments.positional[0].definition)
    if name in _ASKS_STRUCTURE:
        answer = asked_kind(machine, name, node, arguments, scope, context)
        return METADATA if answer is None else Known(BindingTime.METADATA, answer)
    if name in _GIVES_TEXT:
        return STATIC
    known = _item_by_item(machine, name, arguments)
    if known is not None:
        return known
    if name in _KEEPS_ELEMENTS:
        if any(map(holds_tracer, arguments.all())):
            return Tree(origins_of(*arguments.all()))
        return Maybe(origins_of(*arguments.all())) if any(map(may_hold_data, arguments.all())) else UNKNOWN
    accessed = access_object(machine, name, arguments, context)
    if accessed is not None:
        return accessed
    if name == "super":
        return _super(arguments, scope, context)
    handler = _HANDLERS.get(name)
    return UNKNOWN if handler is None else handler(machine, name, node, arguments, scope, context)


def _item_by_item(machine: Machine, name: str, arguments: Arguments) -> Value | None:
    if arguments.has_star or arguments.keywords:
        return None
    if name == "zip":
        return zipped(machine, arguments.positional)
    if name == "enumerate":
        return enumerated(machine, arguments.positional)
    items = items_of(machine, arguments.positional[0]) if len(arguments.positional) == 1 else None
    if items is None:
        return None
    if name == "reversed":
        return Sequence(items[::-1])
    return Sequence(items, name == "list") if name in ("tuple", "list") else None


def _super(arguments: Arguments, scope: Scope, context: Context) -> Value:
    if len(arguments.positional) == 2:
        after, owner = arguments.positional
        return Super(after.definition, owner) if isinstance(after, ClassValue) else UNKNOWN
    function = context.function
    if function is None or function.owner is None or not function.parameters.positional:
        return UNKNOWN
    owner = scope.look_up(function.parameters.positional[0])
    return UNKNOWN if owner is None else Super(function.owner, owner)


def _length(arguments: Arguments) -> Value:
    value = arguments.positional[0] if arguments.positional else UNKNOWN
    if isinstance(value, (HostArray, DeviceArray)) and value.length is not None:
        return Known(BindingTime.METADATA, value.length)
    return Known(BindingTime.METADATA, len(value.items)) if isinstance(value, (Sequence, Mapping)) else METADATA


def _number(machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> Value:
    if not arguments.positional:
        return STATIC
    value = arguments.positional[0]
    if context.is_traced and (isinstance(value, Array) or (is_parameter(value) and context.is_staged)):
        machine.emit(NumberNeeded(node=node, context=context, value=value, by=f"{name}()"))
    if isinstance(value, Known):
        return METADATA if value.time is BindingTime.METADATA else STATIC
    return UNKNOWN if may_hold_data(value) else STATIC


def _range(machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> Value:
    if context.is_traced and not arguments.has_star:
        for argument, value in zip(node.args, arguments.positional, strict=False):
            if isinstance(value, Array) or is_parameter(value):
                machine.emit(IndexNeeded(node=argument, context=context, value=value, use="range"))
        counted = counted_range(arguments.positional)
        if counted is not None:
            return counted
    return _time_of(arguments)


def _time_of(arguments: Arguments) -> Value:
    if not all(isinstance(value, Known) for value in arguments.positional):
        return UNKNOWN
    is_metadata = any(isinstance(v, Known) and v.time is BindingTime.METADATA for v in arguments.positional)
    return METADATA if is_metadata else STATIC


def _extreme(
    machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context
) -> Value:
    values = arguments.positional
    if context.is_traced:
        machine.emit(ExtremeNeeded(node=node, context=context, builtin=name, values=values))
    if len(values) > 1 and any(isinstance(value, Array) for value in values):
        return Array(origins_of(*values))
    if any(map(may_hold_data, values)):
        return Maybe(origins_of(*values))
    return _time_of(arguments)


def _any_or_all(
    machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context
) -> Value:
    if context.is_traced:
        machine.emit(ExtremeNeeded(node=node, context=context, builtin=name, values=arguments.positional))
    return METADATA


def _print(machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> Value:
    if context.is_staged:
        machine.emit(HostCalled(node=node, context=context, name="print", values=arguments.all()))
    return NONE


def _sum(machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> Value:
    value = arguments.positional[0] if arguments.positional else UNKNOWN
    element = element_of(value)
    if isinstance(element, Array) and context.is_traced and not isinstance(value, Sequence):
        return Array(element.origins)
    if isinstance(value, Sequence) and value.items and all(isinstance(item, Array) for item in value.items):
        return Array(origins_of(value))
    return Maybe(origins_of(value)) if may_hold_data(value) else value if isinstance(value, Known) else UNKNOWN


def _arithmetic(
    machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context
) -> Value:
    values = arguments.positional
    if any(isinstance(value, Array) for value in values):
        if name == "round" and len(values) > 1 and isinstance(values[1], Array):
            machine.emit(NumberNeeded(node=node, context=context, value=values[1], by="round()"))
        result = Array(origins_of(*values))
        return Sequence((result, result)) if name == "divmod" else result
    if values and isinstance(values[0], Tree) and context.is_traced and name == "abs":
        return Array(values[0].origins)
    return (
        values[0] if values and isinstance(values[0], Known) and values[0].time is not BindingTime.CONSTANT else UNKNOWN
    )


def _container(
    machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context
) -> Value:
    if not arguments.positional:
        return Sequence((), name == "list")
    value = arguments.positional[0]
    if isinstance(value, Sequence):
        return Sequence(value.items, name == "list")
    if isinstance(value, Generator):
        element = value.element
        return (
            Tree(origins_of(element))
            if isinstance(element, (Array, Tree))
            else UNKNOWN
            if may_hold_data(element)
            else element
        )
    if isinstance(value, Array):
        return Tree(value.origins)
    if isinstance(value, Mapping):
        return CONSTANT
    return value if isinstance(value, (Known, Tree, Maybe)) else UNKNOWN


def _dictionary(
    machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context
) -> Value:
    if not arguments.positional and not arguments.has_star:
        return Mapping(tuple(arguments.keywords.items()))
    values = arguments.all()
    return Maybe(origins_of(*values)) if any(map(may_hold_data, values)) else UNKNOWN


def _map(machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> Value:
    if not arguments.positional or not context.is_traced:
        return UNKNOWN
    function, *rest = arguments.positional
    if not isinstance(function, (Closure, Method)):
        return UNKNOWN
    elements = Arguments(tuple(map(element_of, rest)))
    return Generator(call_value(machine, function, elements, context, node, scope))


def _getattr(
    machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context
) -> Value:
    if len(node.args) < 2 or not may_hold_data(arguments.positional[0]):
        return UNKNOWN
    asked = node.args[1]
    if isinstance(asked, ast.Constant) and asked.value in METADATA_ATTRIBUTES:
        return METADATA
    return Maybe(origins_of(arguments.positional[0]))


def _next(machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> Value:
    value = arguments.positional[0] if arguments.positional else UNKNOWN
    element = element_of(value)
    return UNKNOWN if isinstance(element, Unknown) or has_array(element) else element


def _slice(machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> Value:
    return METADATA


type _Handler = Callable[[Machine, str, ast.Call, Arguments, Scope, Context], Value]

_HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(("int", "float", "bool", "complex"), _number),
    **dict.fromkeys(("min", "max", "sorted"), _extreme),
    **dict.fromkeys(("any", "all"), _any_or_all),
    **dict.fromkeys(("abs", "pow", "divmod", "round"), _arithmetic),
    **dict.fromkeys(("tuple", "list"), _container),
    "range": _range,
    "print": _print,
    "sum": _sum,
    "dict": _dictionary,
    "map": _map,
    "getattr": _getattr,
    "next": _next,
    "slice": _slice,
}
