"""Attribute access: modules, arrays, fields of pytrees, methods of objects."""

from __future__ import annotations

import ast

from stagelight.lint.annotations import Annotated, annotated_kind
from stagelight.lint.definitions import ClassDefinition, FunctionDefinition
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
    Maybe,
    Method,
    Origins,
    Sequence,
    Tree,
    Unknown,
    Value,
)


def evaluate_attribute(machine: Machine, node: ast.Attribute, scope: Scope, context: Context) -> Value:
    """``base.name``."""
    base = machine.evaluate(node.value, scope, context)
    return attribute_of(machine, base, node.attr, context)


def attribute_of(machine: Machine, base: Value, name: str, context: Context) -> Value:
    """Return the value of an attribute."""
    match base:
        case External():
            return _of_module(machine, base, name)
        case Array() | DeviceArray():
            return _of_array(base, name, context)
        case Tree() | Maybe():
            return _of_tree(base, name, context)
        case Instance():
            return _of_instance(machine, base, name)
        case ClassValue():
            function = method_of(machine, base.definition, name)
            return Closure(function) if function is not None else UNKNOWN
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


def _of_instance(machine: Machine, base: Instance, name: str) -> Value:
    function = method_of(machine, base.definition, name)
    if function is not None:
        if _is_property(function):
            return Maybe(base.origins) if base.is_traced else UNKNOWN
        return Method(function, base)
    if base.is_traced:
        return _field_of(machine, base.definition, name, base.origins) or Maybe(base.origins)
    is_linen_field = name in base.definition.fields and library_kind(machine, base.definition) == "linen"
    return STATIC if is_linen_field else UNKNOWN


def _is_property(function: FunctionDefinition) -> bool:
    names = (
        d.attr if isinstance(d, ast.Attribute) else d.id if isinstance(d, ast.Name) else "" for d in function.decorators
    )
    return any(name.endswith("property") for name in names)


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
