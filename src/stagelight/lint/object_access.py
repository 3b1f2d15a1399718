"""``getattr``, ``setattr`` and ``vars`` of objects whose fields are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stagelight.lint.arguments import Arguments
from stagelight.lint.assignment import store_field
from stagelight.lint.attributes import attribute_of
from stagelight.lint.jax_names import METADATA_ATTRIBUTES
from stagelight.lint.values import NONE, Instance, Mapping, Value, literal_of

if TYPE_CHECKING:
    from stagelight.lint.machine import Machine
    from stagelight.lint.tracing_context import Context


def access_object(machine: Machine, name: str, arguments: Arguments, context: Context) -> Value | None:
    """Return what such a builtin gives, or None where the object or the attribute is not known."""
    values = arguments.positional
    owner = next(iter(values), None)
    if not isinstance(owner, Instance) or owner.fields is None:
        return None
    held = owner.fields
    attribute = literal_of(values[1]) if len(values) > 1 else None
    if name == "vars":
        return Mapping(tuple(held.items()))
    if not isinstance(attribute, str):
        return None
    if name == "getattr" and attribute not in METADATA_ATTRIBUTES:
        return attribute_of(machine, owner, attribute, context)
    if name in ("setattr", "object.__setattr__") and len(values) == 3:
        store_field(held, attribute, values[2])
        return NONE
    return None
