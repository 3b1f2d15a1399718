"""Tracers inside values, without running more of the user's code than JAX itself would."""

import types
from collections.abc import Iterator

import jax
import numpy as np

from stagelight.adapters.failure_arguments import is_tracer, tracers_in

_PLAIN = (
    int,
    float,
    complex,
    str,
    bytes,
    bool,
    type(None),
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    type,
    np.ndarray,
    np.generic,
    range,
)


def tracers(value: object) -> list[object]:
    """The tracers among a value's leaves; none for what cannot hold one."""
    if is_tracer(value):
        return [value]
    return [] if isinstance(value, (*_PLAIN, Iterator)) else tracers_in(value)


def is_array(value: object) -> bool:
    """Whether a value is a concrete array."""
    return isinstance(value, np.ndarray | jax.Array) and not is_tracer(value)


def is_code(value: object) -> bool:
    """Whether a value is a function, class or module rather than something that is staged."""
    if isinstance(value, types.ModuleType | type | types.FunctionType | types.BuiltinFunctionType | types.MethodType):
        return True
    return callable(value) and not hasattr(type(value), "__dataclass_fields__") and not hasattr(type(value), "_fields")
