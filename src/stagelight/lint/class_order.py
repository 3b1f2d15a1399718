"""The order in which Python looks through a class and its bases, and what it finds there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from stagelight.lint.definitions import ClassDefinition, FunctionDefinition
from stagelight.lint.pytree_classes import bases_of
from stagelight.lint.word_list import names

if TYPE_CHECKING:
    from stagelight.lint.machine import Machine

_DEEPEST_BASES = 8
HARMLESS_BASES = names(
    "builtins.object object typing.Generic Generic typing.Protocol Protocol abc.ABC ABC typing.NamedTuple NamedTuple "
    "equinox.Module eqx.Module flax.struct.PyTreeNode flax.nnx.Module flax.nnx.Pytree typing.Hashable "
    "collections.abc.Hashable collections.abc.Callable typing.Callable"
)
"""Bases outside the program that change neither how objects are made nor what attributes of the class are."""


class ClassOrder(msgspec.Struct, frozen=True, eq=False):
    """The classes of the program that an object inherits from, itself first; ``outside`` names the other bases."""

    definitions: tuple[ClassDefinition, ...]
    outside: tuple[str, ...]


def class_order(machine: Machine, definition: ClassDefinition) -> ClassOrder:
    """Return the classes in which an attribute is looked up, nearest first; read once per machine.

    A base that several classes share comes after all of them, as in Python's own order (C3), which is all that
    attribute look-up depends on in classes that do not override each other crosswise.
    """
    key = ("class order", id(definition))
    found = machine.notes.get(key)
    if not isinstance(found, ClassOrder):
        reached: list[ClassDefinition | str] = []
        _reach(machine, definition, reached, 0)
        # The last mention of a shared base counts.
        last = [one for place, one in enumerate(reached) if one not in reached[place + 1 :]]
        definitions = tuple(one for one in last if isinstance(one, ClassDefinition))
        outside = tuple(one for one in last if isinstance(one, str))
        found = machine.notes[key] = ClassOrder(definitions, outside)
    return found


def _reach(machine: Machine, definition: ClassDefinition, reached: list[ClassDefinition | str], depth: int) -> None:
    reached.append(definition)
    for base in bases_of(machine, definition):
        if isinstance(base, str):
            reached.append(base)
        elif depth < _DEEPEST_BASES:
            _reach(machine, base, reached, depth + 1)


def method_after(
    machine: Machine, definition: ClassDefinition, after: ClassDefinition, name: str
) -> FunctionDefinition | None:
    """Return the method that ``super().name`` means in a method of ``after``, for an object of ``definition``."""
    order = class_order(machine, definition).definitions
    if after not in order:
        return None
    later = order[order.index(after) + 1 :]
    return next((one.methods[name] for one in later if name in one.methods), None)
