"""Attribute access: modules, arrays, fields of pytrees, methods of objects."""

from __future__ import annotations

import ast

from stagelight.lint.annotations import Annotated, annotated_kind
from stagelight.lint.arguments import Arguments
from stagelight.lint.class_order import HARMLESS_BASES, class_order, method_after
from stagelight.lint.definitions import ClassDefinition, FunctionDefinition
from stagelight.lint.function_calls import call_function
from stagelight.lint.jax_names import ARRAY_PROPERTIES, METADATA_ATTRIBUTES, NOT_ARRAYS
from stagelight.lint.machine import Machine
from stagelight.lint.pytree_classes import library_kind, method_of
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.values import (
    METADATA,
    STATIC,
    UNKNOWN,
    Array,
    ClassValue,
    Closure,
    DeviceArray,
    External,
    HostArray,
    Instance,
    Known,
    LeafWise,
    Maybe,
    Method,
    Origins,
    Sequence,
    Super,
    Tree,
    Unknown,
    Value,
)
from stagelight.model.binding_time import BindingTime


def evaluate_attribute(machine: Machine, node: ast.Attribute, scope: Scope, context: Context) -> Value:
    """``base.name``."""
    base = machine.evaluate(node.value, scope, context)
    return attribute_of(machine, base, node.attr, context)


def attribute_of(machine: Machine, base: Value, name: str, context: Context) -> Value:
    """Return the value of an attribute."""
    match base:
        case LeafWise():
            return base.tree if name == "ω" else UNKNOWN
        case External():
            return _of_module(machine, base, name)
        case Array() | DeviceArray():
            return _of_array(base, name, context)
        case Tree() | Maybe():
            return _of_tree(base, name, context)
        case Instance():
            return _of_instance(machine, base, name, context)
        case Super():
            return _of_super(machine, base, name)
        case ClassValue():
            return _of_class(machine, base, name)
        case Unknown() | Sequence() if name in METADATA_ATTRIBUTES:
            return METADATA
        case HostArray():
            return METADATA if name in METADATA_ATTRIBUTES else HostArray()
        case Known():
            return STATIC if base.literal is None or name not in METADATA_ATTRIBUTES else METADATA
        case _:
            return UNKNOWN


def _of_module(machine: Machine, base: External, name: str) -> Value:
    if name in NOT_ARRAYS and base.name in ("jax.numpy", "numpy", "jax.lax"):
        # Called, a dtype makes an array; mentioned, it is a Python value.
        return External(f"{base.name}.{name}") if name not in ("pi", "e", "inf", "nan", "newaxis") else STATIC
    return machine.external(f"{base.name}.{name}")


def _of_array(base: Array | DeviceArray, name: str, context: Context) -> Value:
    if name in METADATA_ATTRIBUTES:
        return METADATA
    if name not in ARRAY_PROPERTIES:
        return UNKNOWN
    if isinstance(base, DeviceArray):
        return Array() if context.is_staged else DeviceArray()
    return Array(base.origins, base.is_mask, base.strength, base.number)


def _of_tree(base: Tree | Maybe, name: str, context: Context) -> Value:
    if name in METADATA_ATTRIBUTES:
        return METADATA
    if isinstance(base, Tree) and name in ("T", "mT", "at") and context.is_traced:
        return Array(base.origins)
    return Maybe(part_of(base.origins, f".{name}", is_path=isinstance(base, Maybe) or base.is_parameter))


def part_of(origins: Origins, suffix: str, *, is_path: bool) -> Origins:
    """Return the origins of a part of a value, as the user would write it; ``is_path`` while nothing was computed."""
    return frozenset(origin + suffix for origin in origins) if is_path and len(origins) == 1 else origins


def _of_instance(machine: Machine, base: Instance, name: str, context: Context) -> Value:
    held = base.fields.get(name) if base.fields is not None else None
    if held is not None:
        return held
    if name == "__class__":
        return ClassValue(base.definition)
    function = method_of(machine, base.definition, name)
    if function is not None:
        return _bound(machine, function, base, context)
    of_class = _assigned_in_class(machine, base.definition, name)
    if of_class is not None:
        return of_class
    computed = method_of(machine, base.definition, "__getattr__")
    if computed is not None and base.fields is not None and context.is_followed:
        asked = Arguments((Known(BindingTime.CONSTANT, name),))
        return call_function(machine, computed, asked, context, owner=base)
    if base.is_traced:
        return _field_of(machine, base.definition, name, base.origins) or Maybe(base.origins)
    is_linen_field = name in base.definition.fields and library_kind(machine, base.definition) == "linen"
    return STATIC if is_linen_field else UNKNOWN


def _bound(machine: Machine, function: FunctionDefinition, base: Instance, context: Context) -> Value:
    if _is_property(function):
        if base.fields is not None and context.is_traced:
            return call_function(machine, function, Arguments(), context, owner=base)
        return Maybe(base.origins) if base.is_traced else UNKNOWN
    names = _decorator_names(function)
    if "staticmethod" in names:
        return Closure(function)
    return Method(function, ClassValue(base.definition) if "classmethod" in names else base)


def _of_class(machine: Machine, base: ClassValue, name: str) -> Value:
    function = method_of(machine, base.definition, name)
    if function is None:
        return _assigned_in_class(machine, base.definition, name) or UNKNOWN
    return Method(function, base) if "classmethod" in _decorator_names(function) else Closure(function)


def _of_super(machine: Machine, base: Super, name: str) -> Value:
    owner = base.owner
    if not isinstance(owner, (Instance, ClassValue)):
        return UNKNOWN
    function = method_after(machine, owner.definition, base.definition, name)
    if function is None or _is_property(function):
        return UNKNOWN
    return Method(function, owner)


def _assigned_in_class(machine: Machine, definition: ClassDefinition, name: str) -> Value | None:
    order = class_order(machine, definition)
    if not all(base in HARMLESS_BASES for base in order.outside):
        # A metaclass, as of an enumeration, makes something else of what is assigned.
        return None
    for one in order.definitions:
        field = one.fields.get(name)
        if field is not None and field.value is not None and "ClassVar" in ast.unparse(field.annotation):
            reading = Context(module=one.module, is_quiet=True, follows_calls=True)
            value = machine.evaluate(field.value, Scope(), reading)
            return value if isinstance(value, (Known, Closure, External, Instance)) else UNKNOWN
        if name in one.assigned:
            reading = Context(module=one.module, is_quiet=True, follows_calls=True)
            value = machine.evaluate(one.assigned[name], Scope(), reading)
            return value if isinstance(value, (Known, Closure, External, Instance)) else UNKNOWN
    return None


def _is_property(function: FunctionDefinition) -> bool:
    return any(name.endswith("property") for name in _decorator_names(function))


def _decorator_names(function: FunctionDefinition) -> list[str]:
    return [
        d.attr if isinstance(d, ast.Attribute) else d.id if isinstance(d, ast.Name) else "" for d in function.decorators
    ]


def _field_of(machine: Machine, definition: ClassDefinition, name: str, origins: Origins) -> Value | None:
    field = definition.fields.get(name)
    if field is None:
        return None
    if field.value is not None and _is_static_field(field.value):
        return STATIC
    part = part_of(origins, f".{name}", is_path=True)
    return Array(part) if annotated_kind(field.annotation) is Annotated.ARRAY else Maybe(part)


def _is_static_field(default: ast.expr) -> bool:
    if not isinstance(default, ast.Call):
        return False
    for keyword in default.keywords:
        literal = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if (keyword.arg == "static" and literal is True) or (keyword.arg == "pytree_node" and literal is False):
            return True
        if keyword.arg == "metadata":
            return True
    return False
