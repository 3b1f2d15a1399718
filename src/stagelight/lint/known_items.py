"""Containers whose items are known one by one, and the iterations over them that can be followed item by item."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from stagelight.lint.class_order import class_order
from stagelight.lint.values import Generator, Instance, Known, Mapping, Sequence, Value, literal_of
from stagelight.model.binding_time import BindingTime

if TYPE_CHECKING:
    from stagelight.lint.machine import Machine

MOST_ITEMS = 16
"""Longest iteration that is followed item by item; beyond it one element stands for all."""


def items_of(machine: Machine, value: Value) -> tuple[Value, ...] | None:
    """Return the items that iterating over a value gives, or None where they are not known."""
    if isinstance(value, Sequence):
        return value.items
    if isinstance(value, Generator):
        return value.items
    if isinstance(value, Mapping):
        return tuple(Known(BindingTime.CONSTANT, key) for key, _ in value.items)
    if isinstance(value, Instance) and value.fields is not None and is_named_tuple(machine, value):
        return tuple(value.fields.values())
    return None


def is_named_tuple(machine: Machine, value: Instance) -> bool:
    """Whether the object is a named tuple, whose fields are its items."""
    return any(base.rpartition(".")[2] == "NamedTuple" for base in class_order(machine, value.definition).outside)


def zipped(machine: Machine, values: tuple[Value, ...]) -> Value | None:
    """Return what ``zip`` gives, item by item."""
    columns = [items_of(machine, value) for value in values]
    if not columns or any(column is None for column in columns):
        return None
    rows = zip(*(column for column in columns if column is not None), strict=False)
    return Sequence(tuple(Sequence(tuple(row)) for row in rows))


def enumerated(machine: Machine, values: tuple[Value, ...]) -> Value | None:
    """Return what ``enumerate`` gives, item by item."""
    items = items_of(machine, values[0]) if len(values) == 1 else None
    if items is None:
        return None
    return Sequence(tuple(Sequence((Known(BindingTime.STATIC, i), item)) for i, item in enumerate(items)))


def counted_range(values: tuple[Value, ...]) -> Value | None:
    """Return the numbers that a short ``range`` of known bounds gives."""
    bounds = [literal_of(value) for value in values]
    whole = [bound for bound in bounds if type(bound) is int]
    if not whole or len(whole) < len(bounds) or len(whole) > 3 or 0 in whole[2:]:
        return None
    numbers = range(*whole)
    if len(numbers) > MOST_ITEMS:
        return None
    times = [value.time for value in values if isinstance(value, Known)]
    time = BindingTime.METADATA if BindingTime.METADATA in times else BindingTime.STATIC
    return Sequence(tuple(Known(time, number) for number in numbers))


def is_left_early(body: list[ast.stmt]) -> bool:
    """Whether a loop's body may end a round, or the loop, before its last statement."""
    return any(isinstance(n, (ast.Break, ast.Continue, ast.Return)) for s in body for n in ast.walk(s))
