"""What ``isinstance``, ``callable`` and ``hasattr`` answer, where the source shows it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from stagelight.lint.arguments import Arguments
from stagelight.lint.class_order import class_order
from stagelight.lint.values import (
    Array,
    ClassValue,
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
)
from stagelight.lint.word_list import names

if TYPE_CHECKING:
    from stagelight.lint.machine import Machine
    from stagelight.lint.scope import Scope
    from stagelight.lint.tracing_context import Context

_NO_TRACER = names(
    "builtins.int builtins.float builtins.complex builtins.bool builtins.str builtins.bytes builtins.list "
    "builtins.tuple builtins.dict builtins.set numpy.ndarray numpy.generic numpy.number numpy.bool_ "
    "collections.abc.Mapping collections.abc.Sequence collections.abc.Callable typing.Mapping typing.Sequence "
    "typing.Callable"
)
"""Types of which no tracer is an instance."""

_NO_LEAF = names(
    "builtins.int builtins.float builtins.complex builtins.bool builtins.str builtins.bytes numpy.ndarray "
    "numpy.generic numpy.number numpy.bool_"
)
"""Types of which neither a tracer nor a container is an instance."""

_TRACER = names("jax.Array jax.numpy.ndarray jax.core.Tracer")
_CALLABLE = (Closure, Method, Partial, Transformed, ClassValue)


def asked_kind(
    machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context
) -> bool | None:
    """Return the answer to a question about a value's kind, or None where it is not certain."""
    values = arguments.positional
    if not context.is_traced or not values:
        return None
    if name == "callable":
        return _is_callable(values[0])
    if name == "isinstance" and len(values) == 2:
        types = values[1].items if isinstance(values[1], Sequence) else (values[1],)
        answers = [_is_instance(machine, values[0], one) for one in types]
        if any(answers):
            return True
        return None if None in answers else False
    if name == "hasattr" and len(values) == 2:
        return _has_attribute(machine, values[0], literal_of(values[1]))
    return None


def _is_callable(value: Value) -> bool | None:
    if isinstance(value, _CALLABLE):
        return True
    literal = literal_of(value)
    return False if isinstance(value, Array) or isinstance(literal, (int, float, str)) or is_none(value) else None


def _is_instance(machine: Machine, value: Value, kind: Value) -> bool | None:
    if isinstance(value, Array) and isinstance(kind, External):
        return False if kind.name in _NO_TRACER else True if kind.name in _TRACER else None
    if isinstance(value, Tree) and value.is_full and isinstance(kind, External):
        # A leaf is a tracer, and no container is a number.
        return False if kind.name in _NO_LEAF else None
    if isinstance(value, (Array, Known, Sequence)) and isinstance(kind, ClassValue):
        order = class_order(machine, kind.definition)
        return False if not order.outside or isinstance(value, Array) else None
    if isinstance(value, Instance) and value.fields is not None and isinstance(kind, ClassValue):
        return kind.definition in class_order(machine, value.definition).definitions
    if is_none(value) and isinstance(kind, External) and kind.name.startswith("builtins."):
        return False
    return None


def _has_attribute(machine: Machine, value: Value, name: object) -> bool | None:
    if not isinstance(name, str) or not isinstance(value, (Instance, ClassValue)):
        return None
    order = class_order(machine, value.definition)
    if any(name in one.methods or name in one.assigned for one in order.definitions):
        return True
    if isinstance(value, Instance):
        return True if value.fields is not None and name in value.fields else None
    is_whole = all(base.rpartition(".")[2] in ("Generic", "object", "ABC", "Protocol") for base in order.outside)
    has_default = any(name in one.fields and one.fields[name].value is not None for one in order.definitions)
    return True if has_default else False if is_whole else None
