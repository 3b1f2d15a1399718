"""Operators on abstract values: what gives a tracer, and how dtypes and weak types come together."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable

from stagelight.lint.events import Compared, NumberNeeded
from stagelight.lint.leafwise import combine_leafwise
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.values import (
    METADATA,
    STATIC,
    UNKNOWN,
    Absent,
    Array,
    Closure,
    DeviceArray,
    External,
    HostArray,
    Instance,
    Known,
    LeafWise,
    Mapping,
    Maybe,
    Number,
    Sequence,
    Strength,
    Tree,
    Unknown,
    Value,
    is_never_none,
    is_none,
    is_number,
    known_from_literal,
    literal_of,
    may_hold_data,
    origins_of,
)
from stagelight.model.binding_time import BindingTime

# Operators that no container has, so that their operand was an array.
_ARRAY_ONLY = (ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.MatMult, ast.FloorDiv)
_BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor)
_ORDERING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_NUMERIC_CONVERSION = re.compile(r"%[^%sra ]*[dioxXeEfFgG]")
_FOLDED: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
_DECIDED: dict[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_ORDER: tuple[Number, ...] = ("bool", "int", "float")


def number_of(value: Value) -> Number:
    """Return the kind of number a value holds, where it is known."""
    if isinstance(value, (Array, DeviceArray, HostArray)):
        return value.number
    literal = literal_of(value)
    if isinstance(literal, bool):
        return "bool"
    return "int" if isinstance(literal, int) else "float" if isinstance(literal, float) else ""


def strength_of(value: Value) -> Strength:
    """Return whether the value's dtype is strong, weak (it gives way to others), or not known."""
    if isinstance(value, (Array, DeviceArray)):
        return value.strength
    if isinstance(value, HostArray):
        return "strong"
    literal = literal_of(value)
    return "weak" if isinstance(literal, (int, float)) and not isinstance(literal, bool) else ""


def joint_strength(*values: Value) -> Strength:
    """Return the strength of an operation's result: one strong operand makes it strong.

    Follows ``jax.numpy``'s promotion (``jax/_src/dtypes.py``, ``result_type``).
    """
    strengths = {strength_of(value) for value in values}
    if "strong" in strengths:
        return "strong"
    return "weak" if strengths == {"weak"} else ""


def joint_number(*values: Value, divides: bool = False) -> Number:
    """Return the number kind of an operation's result, where it is known."""
    numbers: list[Number] = [number_of(value) for value in values]
    if divides or "float" in numbers:
        return "float"
    return "" if "" in numbers or not numbers else _ORDER[max(_ORDER.index(number) for number in numbers)]


def combine(left: Value, right: Value, op: ast.operator, context: Context) -> Value:
    """Return the value of a binary operation."""
    if isinstance(literal_of(left), str):
        return STATIC
    leafwise = combine_leafwise(left, right, op)
    if leafwise is not None:
        return leafwise
    if isinstance(right, (External, Closure)):
        # An object that overloads the operator may give anything.
        return UNKNOWN
    if isinstance(left, Array) or isinstance(right, Array):
        return _array(left, right, op)
    if isinstance(left, Known) and isinstance(right, Known):
        return _python(left, right, op)
    if isinstance(left, DeviceArray) or isinstance(right, DeviceArray):
        if context.is_staged:
            return _array(left, right, op)
        return DeviceArray(joint_strength(left, right), joint_number(left, right, divides=isinstance(op, ast.Div)))
    if isinstance(op, _ARRAY_ONLY) and context.is_staged and (_is_operand(left) or _is_operand(right)):
        return _array(left, right, op)
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        proves = isinstance(op, _ARRAY_ONLY) and context.is_traced
        return _array(left, right, op) if proves and Tree in (type(left), type(right)) else UNKNOWN
    if isinstance(left, (Maybe, Instance)) or isinstance(right, (Maybe, Instance)):
        return Maybe(origins_of(left, right))
    if isinstance(left, Tree) or isinstance(right, Tree):
        return _tree(left, right, op, context)
    if isinstance(left, Sequence) and isinstance(right, Sequence) and isinstance(op, ast.Add):
        return Sequence(left.items + right.items, left.is_list)
    if isinstance(left, (Sequence, Known)) and isinstance(right, (Sequence, Known)):
        # A shape is put together: `(1,) * n + shape`.
        return UNKNOWN if may_hold_data(left) or may_hold_data(right) else METADATA
    if isinstance(left, (HostArray, Known)) and isinstance(right, (HostArray, Known)):
        return HostArray(joint_number(left, right, divides=isinstance(op, ast.Div)))
    return UNKNOWN


def _is_operand(value: Value) -> bool:
    return isinstance(value, Maybe) and value.is_operand


def _array(left: Value, right: Value, op: ast.operator) -> Array:
    left_mask = isinstance(left, Array) and left.is_mask
    right_mask = isinstance(right, Array) and right.is_mask
    return Array(
        origins_of(left, right),
        isinstance(op, _BITWISE) and (left_mask or right_mask),
        joint_strength(left, right),
        joint_number(left, right, divides=isinstance(op, ast.Div)),
    )


def _python(left: Known, right: Known, op: ast.operator) -> Known:
    fold = _FOLDED.get(type(op))
    a, b = left.literal, right.literal
    if fold is not None and type(a) is int and type(b) is int and (b != 0 or fold in (operator.add, operator.sub)):
        small = abs(a) < 1 << 40 and abs(b) < 1 << 40
        return Known(BindingTime.CONSTANT, fold(a, b)) if small else STATIC
    return METADATA if BindingTime.METADATA in (left.time, right.time) else STATIC


def _tree(left: Value, right: Value, op: ast.operator, context: Context) -> Value:
    if not context.is_traced:
        return UNKNOWN
    if isinstance(op, _ARRAY_ONLY):
        return _array(left, right, op)
    with_number = isinstance(left, Known) or isinstance(right, Known)
    if isinstance(op, ast.Add) and with_number:
        return _array(left, right, op)
    return Tree(origins_of(left, right))


def evaluate_binary(machine: Machine, node: ast.BinOp, scope: Scope, context: Context) -> Value:
    """``a + b``."""
    left = machine.evaluate(node.left, scope, context)
    right = machine.evaluate(node.right, scope, context)
    template = literal_of(left)
    if isinstance(node.op, ast.Mod) and isinstance(template, str) and context.is_staged:
        formatted = next((item for item in _items(right) if isinstance(item, Array)), None)
        if formatted is not None and _NUMERIC_CONVERSION.search(template):
            machine.emit(NumberNeeded(node=node.right, context=context, value=formatted, by="a format"))
    return combine(left, right, node.op, context)


def _items(value: Value) -> tuple[Value, ...]:
    return value.items if isinstance(value, Sequence) else (value,)


def evaluate_unary(machine: Machine, node: ast.UnaryOp, scope: Scope, context: Context) -> Value:
    """``-a`` and ``~a``; ``not a`` is a branch's business."""
    value = machine.evaluate(node.operand, scope, context)
    if isinstance(value, Tree) and context.is_traced:
        return Array(value.origins)
    if isinstance(value, LeafWise):
        return value
    literal = literal_of(value)
    if isinstance(node.op, ast.USub) and isinstance(literal, (int, float)):
        return known_from_literal(-literal)
    if isinstance(value, DeviceArray) and context.is_staged:
        return Array(strength=value.strength, number=value.number)
    return value if isinstance(value, (Array, Maybe, Known, DeviceArray, HostArray)) else UNKNOWN


def evaluate_comparison(machine: Machine, node: ast.Compare, scope: Scope, context: Context) -> Value:
    """``a < b``: identity and membership give Python's own bools, the rest is computed by the operands."""
    values = tuple(machine.evaluate(operand, scope, context) for operand in (node.left, *node.comparators))
    if context.is_traced:
        machine.emit(Compared(node=node, context=context, values=values))
    if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
        return _identity(node, values)
    if isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return _membership(node, values)
    decided = _decided(node, values)
    if decided is not None:
        return known_from_literal(decided)
    if any(isinstance(value, Array) for value in values):
        return Array(origins_of(*values), is_mask=True, strength="strong", number="bool")
    if any(isinstance(value, DeviceArray) for value in values):
        return (
            Array(origins_of(*values), True, "strong", "bool") if context.is_staged else DeviceArray("strong", "bool")
        )
    if any(isinstance(value, Tree) for value in values):
        return _comparison_of_trees(node, values, context)
    if all(isinstance(value, Known) for value in values):
        return METADATA if METADATA in values else STATIC
    return UNKNOWN


def _membership(node: ast.Compare, values: tuple[Value, ...]) -> Value:
    asked = literal_of(values[0])
    if len(node.ops) == 1 and isinstance(values[1], Mapping) and asked is not Absent.LITERAL:
        is_in = any(key == asked for key, _ in values[1].items)
        return Known(BindingTime.METADATA, is_in is isinstance(node.ops[0], ast.In))
    return METADATA


def _identity(node: ast.Compare, values: tuple[Value, ...]) -> Value:
    is_positive = isinstance(node.ops[0], ast.Is)
    if is_none(values[1]):
        if is_none(values[0]):
            return known_from_literal(is_positive)
        if is_never_none(values[0]):
            return known_from_literal(not is_positive)
    return METADATA


def _decided(node: ast.Compare, values: tuple[Value, ...]) -> bool | None:
    decide = _DECIDED.get(type(node.ops[0]))
    literals = [literal_of(value) for value in values]
    if len(node.ops) != 1 or Absent.LITERAL in literals:
        return None
    if decide is not None:
        return bool(decide(literals[0], literals[1]))
    left, right = literals
    if isinstance(left, (int, float)) and isinstance(right, (int, float)) and isinstance(node.ops[0], _ORDERING):
        orderings = {ast.Lt: left < right, ast.LtE: left <= right, ast.Gt: left > right, ast.GtE: left >= right}
        return orderings[type(node.ops[0])]
    return None


def _comparison_of_trees(node: ast.Compare, values: tuple[Value, ...], context: Context) -> Value:
    if not context.is_traced:
        return UNKNOWN
    literals = [literal_of(value) for value in values]
    if any(isinstance(literal, str) or literal is None for literal in literals):
        return METADATA
    has_number = any(map(is_number, values))
    proves = isinstance(node.ops[0], _ORDERING) or has_number
    if proves and not any(isinstance(value, Unknown) for value in values):
        return Array(origins_of(*values), is_mask=True, strength="strong", number="bool")
    return UNKNOWN
