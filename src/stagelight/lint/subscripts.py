"""Indexing and slicing."""

from __future__ import annotations

import ast

from stagelight.lint.arguments import Arguments
from stagelight.lint.assignment import element_of
from stagelight.lint.attributes import part_of
from stagelight.lint.events import IndexNeeded, NumpyCalled, Subscripted
from stagelight.lint.function_calls import call_function
from stagelight.lint.known_items import items_of
from stagelight.lint.machine import Machine
from stagelight.lint.pytree_classes import method_of
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.values import (
    METADATA,
    STATIC,
    UNKNOWN,
    Array,
    DeviceArray,
    HostArray,
    Instance,
    Known,
    Mapping,
    Maybe,
    Sequence,
    Tree,
    Unknown,
    Value,
    is_parameter,
    literal_of,
    may_hold_data,
    origins_of,
)
from stagelight.model.binding_time import BindingTime

_SLICEABLE = (Array, Tree, Sequence, HostArray, DeviceArray, Unknown)


def evaluate_subscript(machine: Machine, node: ast.Subscript, scope: Scope, context: Context) -> Value:
    """``base[index]``."""
    base = machine.evaluate(node.value, scope, context)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    indices = tuple(_index(machine, part, base, scope, context) for part in parts)
    if context.is_staged:
        _announce(machine, node, parts, base, indices, context)
    return _item(machine, node, base, indices, context)


def _index(machine: Machine, part: ast.expr, base: Value, scope: Scope, context: Context) -> Value:
    if not isinstance(part, ast.Slice):
        return machine.evaluate(part, scope, context)
    for bound in (part.lower, part.upper, part.step):
        if bound is not None:
            value = machine.evaluate(bound, scope, context)
            needs = isinstance(value, Array) or (is_parameter(value) and _is_sliced(base))
            if context.is_staged and needs and isinstance(base, _SLICEABLE):
                machine.emit(IndexNeeded(node=bound, context=context, value=value, use="slice"))
    return METADATA


def _is_sliced(base: Value) -> bool:
    # Of what a trace gets as arguments, arrays, lists and tuples have slices, and none of them takes a tracer for one.
    return isinstance(base, Array) or is_parameter(base)


def _announce(
    machine: Machine,
    node: ast.Subscript,
    parts: list[ast.expr],
    base: Value,
    indices: tuple[Value, ...],
    context: Context,
) -> None:
    is_update = isinstance(node.value, ast.Attribute) and node.value.attr == "at"
    machine.emit(Subscripted(node=node, context=context, base=base, indices=indices, is_update=is_update))
    for part, value in zip(parts, indices, strict=True):
        if isinstance(base, Sequence) and isinstance(value, Array):
            machine.emit(IndexNeeded(node=part, context=context, value=value, use="sequence"))
        elif isinstance(base, HostArray) and (isinstance(value, Array) or is_parameter(value)):
            machine.emit(NumpyCalled(node=node, context=context, name="", values=(value,)))


def _item(machine: Machine, node: ast.Subscript, base: Value, indices: tuple[Value, ...], context: Context) -> Value:
    literal = literal_of(indices[0]) if len(indices) == 1 else None
    match base:
        case Array():
            return Array(base.origins, base.is_mask, base.strength, base.number)
        case DeviceArray():
            return Array(origins_of(*indices)) if context.is_staged else DeviceArray(base.strength, base.number)
        case Tree():
            path = part_of(base.origins, f"[{literal!r}]", is_path=isinstance(literal, (str, int)))
            return Tree(path | origins_of(*indices), is_full=base.is_full)
        case Maybe():
            return Maybe(base.origins)
        case Sequence():
            return _item_of_sequence(node, base, literal)
        case Instance() if base.fields is not None and (getter := method_of(machine, base.definition, "__getitem__")):
            return call_function(machine, getter, Arguments(indices[:1]), context, owner=base)
        case Instance() if (items := items_of(machine, base)) is not None:
            return _item_of_sequence(node, Sequence(items), literal)
        case Mapping():
            found = next((value for key, value in base.items if key == literal), None)
            return found if found is not None else Maybe(origins_of(base)) if may_hold_data(base) else UNKNOWN
        case Known():
            if base.time is BindingTime.METADATA:
                return METADATA
            return UNKNOWN if any(map(may_hold_data, indices)) else STATIC
        case HostArray():
            return HostArray(base.number)
        case _:
            return UNKNOWN


def _item_of_sequence(node: ast.Subscript, base: Sequence, literal: object) -> Value:
    if isinstance(node.slice, ast.Slice):
        bounds = (node.slice.lower, node.slice.upper, node.slice.step)
        if all(bound is None or isinstance(bound, (ast.Constant, ast.UnaryOp)) for bound in bounds):
            asked = slice(*(None if bound is None else ast.literal_eval(bound) for bound in bounds))
            return Sequence(base.items[asked], base.is_list)
        return Maybe(origins_of(base)) if may_hold_data(base) else UNKNOWN
    if type(literal) is int and -len(base.items) <= literal < len(base.items):
        return base.items[literal]
    return element_of(base)
