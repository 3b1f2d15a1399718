"""Assignment to names, items, attributes and patterns of them."""

from __future__ import annotations

import ast

from stagelight.lint.events import AttributeStored, ItemStored, NameRebound
from stagelight.lint.known_items import items_of
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.value_join import join, join_all
from stagelight.lint.values import (
    METADATA,
    STATIC,
    UNKNOWN,
    Array,
    External,
    Generator,
    Instance,
    Known,
    Mapping,
    Maybe,
    Sequence,
    Tree,
    Value,
    may_hold_data,
    origins_of,
)
from stagelight.model.binding_time import BindingTime


def assign(machine: Machine, target: ast.expr, value: Value, scope: Scope, context: Context) -> None:
    """Give a target a value, announcing what outlives the trace."""
    match target:
        case ast.Name():
            _assign_name(machine, target, value, scope, context)
        case ast.Tuple() | ast.List():
            _unpack(machine, target, value, scope, context)
        case ast.Starred():
            assign(machine, target.value, value, scope, context)
        case ast.Subscript():
            _assign_item(machine, target, value, scope, context)
        case ast.Attribute():
            base = machine.evaluate(target.value, scope, context)
            if context.is_traced:
                machine.emit(AttributeStored(node=target, context=context, base=base, value=value))
            if isinstance(base, Instance) and base.fields is not None:
                store_field(base.fields, target.attr, value)
        case _:
            pass


def store_field(fields: dict[str, Value], name: str, value: Value) -> None:
    """Give a field of an object a value."""
    # Which of the branches around a store is taken is not known here, so an earlier value stays possible.
    before = fields.get(name)
    fields[name] = value if before is None else join(before, value)


def _assign_name(machine: Machine, target: ast.Name, value: Value, scope: Scope, context: Context) -> None:
    name = target.id
    if name in scope.global_names:
        if context.is_staged:
            machine.emit(NameRebound(node=target, context=context, name=name, kind="global", value=value))
        return
    if name in scope.nonlocal_names and context.is_staged and _outlives(name, scope):
        machine.emit(NameRebound(node=target, context=context, name=name, kind="nonlocal", value=value))
    scope.names[name] = value


def _outlives(name: str, scope: Scope) -> bool:
    # A nonlocal name of a function that is itself inside the trace dies with it.
    outer = scope.parent
    while outer is not None:
        if name in outer.names:
            return not outer.is_traced
        outer = outer.parent
    return False


def _unpack(machine: Machine, target: ast.Tuple | ast.List, value: Value, scope: Scope, context: Context) -> None:
    items = items_of(machine, value) if isinstance(value, Instance) else None
    value = value if items is None else Sequence(items)
    has_star = any(isinstance(element, ast.Starred) for element in target.elts)
    matches = isinstance(value, Sequence) and len(value.items) == len(target.elts) and not has_star
    for position, element in enumerate(target.elts):
        if isinstance(element, ast.Starred):
            rest = Tree(origins_of(value)) if isinstance(value, (Array, Tree)) else UNKNOWN
            assign(machine, element.value, rest, scope, context)
        elif matches and isinstance(value, Sequence):
            assign(machine, element, value.items[position], scope, context)
        else:
            assign(machine, element, element_of(value), scope, context)


def _assign_item(machine: Machine, target: ast.Subscript, value: Value, scope: Scope, context: Context) -> None:
    base = machine.evaluate(target.value, scope, context)
    machine.evaluate(target.slice, scope, context)
    name = target.value.id if isinstance(target.value, ast.Name) else ""
    if context.is_traced:
        outlives = bool(name) and scope.look_up(name) is None and machine.is_global_container(context.module, name)
        machine.emit(ItemStored(node=target, context=context, base=base, value=value, is_global=outlives))
    if name and scope.is_local(name):
        if isinstance(base, Mapping):
            scope.names[name] = _with_item(base, target.slice, value)
        elif isinstance(base, (Sequence, Known)) and may_hold_data(value):
            scope.names[name] = Maybe(origins_of(base, value))
        elif isinstance(base, Sequence):
            scope.names[name] = UNKNOWN


def _with_item(base: Mapping, key: ast.expr, value: Value) -> Value:
    if not isinstance(key, ast.Constant):
        return Maybe(origins_of(base, value)) if may_hold_data(base) or may_hold_data(value) else UNKNOWN
    items = dict(base.items)
    items[key.value] = value
    return Mapping(tuple(items.items()))


def element_of(value: Value) -> Value:
    """Return the value of one element that iterating or indexing gives."""
    match value:
        case Array():
            return Array(value.origins, value.is_mask, "", value.number)
        case Tree():
            return Tree(value.origins, is_full=value.is_full)
        case Maybe():
            return Maybe(value.origins)
        case Sequence():
            return join_all(*value.items)
        case Generator():
            return value.element
        case Known():
            return METADATA if value.time is BindingTime.METADATA else STATIC
        case External() if value.name == "builtins.range":
            return STATIC
        case _:
            return UNKNOWN
