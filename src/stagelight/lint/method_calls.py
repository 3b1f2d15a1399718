"""Calls of methods on arrays, pytrees, containers and text."""

from __future__ import annotations

import ast
import re

from stagelight.lint.arguments import Arguments
from stagelight.lint.assignment import element_of
from stagelight.lint.events import ContainerGrown, HostCalled, JaxCalled, NumberNeeded
from stagelight.lint.jax_names import ARRAY_METHODS, CONCRETIZING_METHODS, LOG_METHODS
from stagelight.lint.known_items import items_of
from stagelight.lint.leafwise import mapped_leafwise
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.value_join import join_all
from stagelight.lint.values import (
    METADATA,
    NONE,
    STATIC,
    UNKNOWN,
    Absent,
    Array,
    DeviceArray,
    External,
    Generator,
    HostArray,
    Instance,
    Known,
    LeafWise,
    Mapping,
    Maybe,
    Sequence,
    Tree,
    Value,
    is_parameter,
    literal_of,
    may_hold_data,
    origins_of,
)
from stagelight.lint.word_list import names
from stagelight.model.binding_time import BindingTime

_GROWING = frozenset(["append", "extend", "add", "insert", "update", "setdefault", "appendleft"])
_GIVES_WHOLE = names("items values copy replace _replace pop get unfreeze apply_gradients")
_NOT_DATA = frozenset(["devices", "addressable_data", "unsafe_buffer_pointer", "is_deleted", "is_ready"])
_FORMAT_FIELD = re.compile(r"\{[^{}:]*:[^{}]*[bcdeEfFgGnoxX%]\}")


def call_method(
    machine: Machine,
    base: Value,
    name: str,
    node: ast.Call,
    arguments: Arguments,
    scope: Scope,
    context: Context,
) -> Value:
    """Return what a method returns."""
    if name in _GROWING and context.is_staged:
        _announce_growth(machine, node, arguments, scope, context)
    match base:
        case Array():
            return _of_array(machine, base, name, node, arguments, context)
        case DeviceArray():
            return Array() if context.is_staged else DeviceArray() if name in ARRAY_METHODS else UNKNOWN
        case LeafWise() if name == "call":
            return mapped_leafwise(base)
        case Tree():
            return _of_tree(machine, base, name, node, arguments, context)
        case Maybe():
            return _of_maybe(base, name)
        case Instance() if name in ("replace", "_replace"):
            return Instance(base.definition, base.origins | origins_of(*arguments.all()), base.is_traced)
        case Instance() if base.is_traced or name == "apply":
            return _of_instance(base, arguments)
        case Known() if name == "format" and isinstance(base.literal, str):
            return _formatted(machine, base.literal, node, arguments, context)
        case Mapping() if name in ("get", "pop", "items", "keys", "values", "copy"):
            return _of_mapping(base, name, arguments)
        case Known() | HostArray():
            return _of_python(base, name, arguments)
        case _:
            return _of_container(machine, base, name, node, arguments, scope, context)


def _of_array(
    machine: Machine, base: Array, name: str, node: ast.Call, arguments: Arguments, context: Context
) -> Value:
    if name in CONCRETIZING_METHODS:
        machine.emit(NumberNeeded(node=node, context=context, value=base, by=f".{name}()"))
        return STATIC
    if name in _NOT_DATA:
        return UNKNOWN
    if context.is_staged and not _is_update(node):
        machine.emit(
            JaxCalled(
                node=node,
                context=context,
                name=f"Array.{name}",
                arguments=(base, *arguments.positional),
                keywords=arguments.keywords,
                has_star=arguments.has_star,
            )
        )
    keeps = name in ("reshape", "ravel", "flatten", "squeeze", "transpose", "sum", "max", "min", "copy", "set", "add")
    return Array(
        base.origins | origins_of(*arguments.all()),
        name in ("any", "all"),
        base.strength if keeps else "strong" if name == "astype" else "",
        "float" if name in ("mean", "std", "var") else base.number if keeps else "",
    )


def _is_update(node: ast.Call) -> bool:
    # In `x.at[i].min(y)` the argument is a value, not an axis.
    holder = node.func.value if isinstance(node.func, ast.Attribute) else None
    return isinstance(holder, ast.Subscript) and isinstance(holder.value, ast.Attribute) and holder.value.attr == "at"


def _of_tree(machine: Machine, base: Tree, name: str, node: ast.Call, arguments: Arguments, context: Context) -> Value:
    if context.is_traced:
        if name in ("item", "tolist"):
            machine.emit(NumberNeeded(node=node, context=context, value=Array(base.origins), by=f".{name}()"))
            return STATIC
        if name in ARRAY_METHODS:
            return _of_array(machine, Array(base.origins), name, node, arguments, context)
    if name in _GIVES_WHOLE:
        return Tree(base.origins | origins_of(*arguments.all()), is_full=base.is_full)
    return METADATA if name == "keys" else Maybe(base.origins)


def _of_maybe(base: Maybe, name: str) -> Value:
    if name == "keys":
        return METADATA
    return Maybe(base.origins) if name in _GIVES_WHOLE or name in ARRAY_METHODS else UNKNOWN


def _of_instance(base: Instance, arguments: Arguments) -> Value:
    # Modules made by a library are called through machinery that is not followed.
    return Maybe(base.origins | origins_of(*arguments.all())) if base.is_traced else UNKNOWN


def _formatted(machine: Machine, template: str, node: ast.Call, arguments: Arguments, context: Context) -> Value:
    formatted = next((value for value in arguments.all() if isinstance(value, Array)), None)
    if formatted is not None and context.is_staged and _FORMAT_FIELD.search(template):
        machine.emit(NumberNeeded(node=node, context=context, value=formatted, by="a format"))
    return STATIC


def _of_mapping(base: Mapping, name: str, arguments: Arguments) -> Value:
    if name == "copy":
        return base
    if name == "items":
        return _view(tuple(Sequence((Known(BindingTime.METADATA, key), value)) for key, value in base.items))
    if name == "values":
        return _view(tuple(value for _, value in base.items))
    if name == "keys":
        return _view(tuple(Known(BindingTime.METADATA, key) for key, _ in base.items))
    asked = literal_of(arguments.positional[0]) if arguments.positional else Absent.LITERAL
    if asked is not Absent.LITERAL:
        found = dict(base.items).get(asked)
        if found is not None:
            return found
        return arguments.positional[1] if len(arguments.positional) > 1 else NONE if name == "get" else UNKNOWN
    held = element_of(Sequence(tuple(value for _, value in base.items)))
    return Maybe(origins_of(held)) if may_hold_data(held) else UNKNOWN


def _view(items: tuple[Value, ...]) -> Generator:
    # A view is no pytree, so it is not data itself.
    return Generator(join_all(*items), items)


def _of_python(base: Value, name: str, arguments: Arguments) -> Value:
    if isinstance(base, HostArray):
        return STATIC if name in ("item", "tolist", "sum", "max", "min", "mean", "prod", "any", "all") else HostArray()
    if isinstance(base, Known) and isinstance(base.literal, str) and name in ("startswith", "endswith"):
        asked = literal_of(arguments.positional[0]) if len(arguments.positional) == 1 else None
        answer = getattr(base.literal, name)(asked) if isinstance(asked, str) else None
        return STATIC if answer is None else Known(BindingTime.CONSTANT, answer)
    if isinstance(base, Known) and name in _GROWING | {"remove", "pop", "clear", "sort", "reverse"}:
        return UNKNOWN
    return base if isinstance(base, Known) and literal_of(base) is not None and name not in ("get",) else UNKNOWN


def _of_container(
    machine: Machine,
    base: Value,
    name: str,
    node: ast.Call,
    arguments: Arguments,
    scope: Scope,
    context: Context,
) -> Value:
    holder = node.func.value if isinstance(node.func, ast.Attribute) else None
    if name in LOG_METHODS and isinstance(base, External) and base.name.startswith("logging") and context.is_staged:
        machine.emit(HostCalled(node=node, context=context, name=f"logger.{name}", values=arguments.all()))
    if name not in _GROWING or not isinstance(holder, ast.Name):
        return UNKNOWN
    if scope.is_local(holder.id):
        scope.names[holder.id] = _grown(machine, base, name, arguments.positional)
    return UNKNOWN


def _announce_growth(machine: Machine, node: ast.Call, arguments: Arguments, scope: Scope, context: Context) -> None:
    holder = node.func.value if isinstance(node.func, ast.Attribute) else None
    is_global = isinstance(holder, ast.Name) and scope.look_up(holder.id) is None
    if isinstance(holder, ast.Name) and is_global and machine.is_global_container(context.module, holder.id):
        values = arguments.positional
        machine.emit(ContainerGrown(node=node, context=context, container=holder.id, values=values))


def _grown(machine: Machine, base: Value, name: str, values: tuple[Value, ...]) -> Value:
    if isinstance(base, Sequence) and base.is_list and name == "append" and len(values) == 1:
        return Sequence((*base.items, *values), is_list=True)
    if isinstance(base, Sequence) and base.is_list and name == "extend" and len(values) == 1:
        more = items_of(machine, values[0])
        if more is not None:
            return Sequence((*base.items, *more), is_list=True)
    if not isinstance(base, (Sequence, Tree, Maybe)) or name == "update":
        return Maybe(origins_of(base, *values)) if any(map(may_hold_data, (base, *values))) else UNKNOWN
    if not any(map(may_hold_data, (base, *values))):
        return UNKNOWN
    held = base.items if isinstance(base, Sequence) else (base,)
    certain = all(isinstance(value, (Array, Tree)) and not is_parameter(value) for value in (*held, *values))
    origins = origins_of(base, *values)
    return Tree(origins, is_present=True) if certain else Maybe(origins)
