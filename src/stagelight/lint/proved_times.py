"""The binding time that an abstract value proves."""

from stagelight.lint.values import (
    Array,
    DeviceArray,
    HostArray,
    Instance,
    Known,
    Tree,
    Value,
    parts_of,
)
from stagelight.model.binding_time import BindingTime, latest

_DEEPEST_PART = 6


def binding_time_of(value: Value) -> BindingTime | None:
    """Return the binding time that the value proves, or None when it proves none."""
    if isinstance(value, Known):
        return value.time
    if holds_tracer(value):
        return BindingTime.DATA
    if isinstance(value, (HostArray, DeviceArray)):
        return BindingTime.CONSTANT
    parts = [binding_time_of(part) for part in parts_of(value)]
    times = [time for time in parts if time is not None]
    return latest(*times) if times and len(times) == len(parts) else None


def holds_tracer(value: Value, depth: int = 0) -> bool:
    """Whether the value is a tracer, or a pytree with at least one tracer among its leaves, for certain."""
    if isinstance(value, (Array, Tree)):
        return True
    if depth > _DEEPEST_PART:
        return False
    parts = parts_of(value)
    if isinstance(value, Instance) and value.is_traced and value.fields is not None:
        parts = tuple(value.fields.values())
    return any(holds_tracer(part, depth + 1) for part in parts)


def later_time(one: BindingTime | None, other: BindingTime | None) -> BindingTime | None:
    """Return what is proved of an expression that two contexts reach: the later time, as observation shows it.

    >>> later_time(BindingTime.DATA, None).value, later_time(BindingTime.STATIC, None)
    ('data', None)
    """
    if BindingTime.DATA in (one, other):
        return BindingTime.DATA
    return None if one is None or other is None else latest(one, other)
