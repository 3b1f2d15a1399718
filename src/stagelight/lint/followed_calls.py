"""Calls of jitted functions from the host: what they pass decides what the body sees."""

from __future__ import annotations

import ast

from stagelight.lint.control_flow_calls import as_data
from stagelight.lint.definitions import FunctionDefinition
from stagelight.lint.entries import trace
from stagelight.lint.function_calls import default_value
from stagelight.lint.machine import Machine
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Stage
from stagelight.lint.transformations import Transformation
from stagelight.lint.values import DeviceArray, HostArray, Value, is_none, is_number, parts_of


def follow_host_call(
    machine: Machine,
    function: FunctionDefinition,
    transformation: Transformation,
    statics: frozenset[str],
    bound: dict[str, tuple[ast.expr, Value]],
    parent: Scope | None,
    *,
    is_decorated: bool,
) -> None:
    """Trace a jitted function once more with the arrays and numbers that one call of the host passes."""
    given = {
        name: as_data(value, name)
        for name, (_, value) in bound.items()
        if name not in statics and _is_known(value, transformation)
    }
    for name, default in function.parameters.defaults.items():
        if name not in bound and name not in statics:
            # What is not passed is no argument of the trace: it stays the Python value it is.
            given[name] = default_value(machine, function, default)
    if given and set(given) <= set(function.parameters.names):
        trace(
            machine,
            function,
            transformation,
            stage=Stage.STAGED,
            statics=statics,
            given=given,
            is_decorated=is_decorated,
            parent=parent,
        )


def _is_known(value: Value, transformation: Transformation) -> bool:
    if isinstance(value, (DeviceArray, HostArray)) or is_none(value):
        return True
    if is_number(value):
        # To a filtered transformation a Python number is static.
        return not transformation.is_filtered
    parts = parts_of(value)
    return bool(parts) and all(_is_known(part, transformation) for part in parts)
