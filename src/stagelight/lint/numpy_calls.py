"""Calls of NumPy: fine on Python values, a conversion error on tracers."""

from __future__ import annotations

import ast
import math

from stagelight.lint.arguments import Arguments
from stagelight.lint.arithmetic import joint_number
from stagelight.lint.events import HostCalled, NumpyCalled
from stagelight.lint.jax_names import METADATA_FUNCTIONS, NOT_ARRAYS, NUMPY_DELEGATING
from stagelight.lint.machine import Machine
from stagelight.lint.tracing_context import Context
from stagelight.lint.values import (
    METADATA,
    NONE,
    STATIC,
    UNKNOWN,
    Array,
    HostArray,
    Known,
    Number,
    Sequence,
    Tree,
    Value,
    has_array,
    is_parameter,
    literal_of,
    may_hold_data,
    origins_of,
)
from stagelight.lint.word_list import names
from stagelight.model.binding_time import BindingTime

_MAKES_ARRAYS = names(
    "array asarray zeros ones arange linspace full eye empty concatenate stack zeros_like ones_like tile repeat "
    "float32 float64 int32 int64 diag tril triu meshgrid reshape indices geomspace logspace"
)


_GIVES_PYTHON = ("array_equal", "array_equiv", "unstack")


def call_numpy(machine: Machine, name: str, node: ast.Call, arguments: Arguments, context: Context) -> Value:
    """Return what a NumPy function returns."""
    last = name.rpartition(".")[2]
    if name.startswith("numpy.random."):
        if context.is_staged:
            machine.emit(HostCalled(node=node, context=context, name=name, values=arguments.all()))
        return STATIC if context.is_traced else UNKNOWN
    if name.startswith("numpy.testing."):
        return NONE
    if last in METADATA_FUNCTIONS:
        return METADATA
    values = arguments.all()
    if last in NUMPY_DELEGATING and any(isinstance(value, (Array, Tree)) for value in arguments.positional[:1]):
        return Array(origins_of(*values)) if has_array(values[0]) and last not in _GIVES_PYTHON else UNKNOWN
    if context.is_traced and last not in NOT_ARRAYS:
        is_data = any(map(has_array, values)) or (context.is_staged and any(map(is_parameter, values)))
        if is_data:
            machine.emit(NumpyCalled(node=node, context=context, name=name, values=values))
    if any(map(may_hold_data, values)):
        return UNKNOWN
    if last in _MAKES_ARRAYS:
        return HostArray(_number(last, arguments), length_of_array(last, arguments))
    return _reduced(values)


def _reduced(values: tuple[Value, ...]) -> Value:
    if not all(isinstance(value, (Known, HostArray, Sequence)) for value in values):
        return UNKNOWN
    return METADATA if any(isinstance(v, Known) and v.time is BindingTime.METADATA for v in values) else STATIC


def _number(name: str, arguments: Arguments) -> Number:
    if len(arguments.positional) > 1 or "dtype" in arguments.keywords:
        return ""
    first = arguments.positional[0] if arguments.positional else UNKNOWN
    if name in ("array", "asarray") and isinstance(first, Sequence):
        return joint_number(*first.items) if first.items else ""
    return "float" if name in ("zeros", "ones", "linspace", "eye", "empty", "float32", "float64") else ""


def length_of_array(name: str, arguments: Arguments) -> int | None:
    """Return the length of the first axis where the source shows it."""
    first = arguments.positional[0] if arguments.positional else arguments.keywords.get("shape", UNKNOWN)
    if name in ("zeros", "ones", "empty", "full"):
        size = first.items[0] if isinstance(first, Sequence) and first.items else first
        literal = literal_of(size)
        return literal if type(literal) is int else None
    if name in ("array", "asarray") and isinstance(first, Sequence):
        return len(first.items)
    if name == "linspace":
        literal = literal_of(arguments.get(2, "num") or Known(BindingTime.CONSTANT, 50))
        return literal if type(literal) is int else None
    if name == "arange":
        return _length_of_range(arguments)
    return None


def _length_of_range(arguments: Arguments) -> int | None:
    numbers = [literal_of(value) for value in arguments.positional]
    if not numbers or not all(isinstance(n, (int, float)) for n in numbers):
        return None
    start, stop, step = (
        (0, numbers[0], 1) if len(numbers) == 1 else (*numbers[:2], numbers[2] if len(numbers) > 2 else 1)
    )
    if isinstance(start, (int, float)) and isinstance(stop, (int, float)) and isinstance(step, (int, float)) and step:
        return max(0, math.ceil((stop - start) / step))
    return None
