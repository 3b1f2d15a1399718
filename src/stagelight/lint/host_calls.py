"""Calls that have an effect on the host, or read its state: they run once, while tracing."""

from __future__ import annotations

import ast

from stagelight.lint.arguments import Arguments
from stagelight.lint.events import HostCalled, NumberNeeded
from stagelight.lint.jax_names import CLOCKS, LOG_METHODS
from stagelight.lint.machine import Machine
from stagelight.lint.tracing_context import Context
from stagelight.lint.values import (
    METADATA,
    NONE,
    STATIC,
    UNKNOWN,
    Array,
    Known,
    Value,
    is_parameter,
    may_hold_data,
)
from stagelight.model.binding_time import BindingTime


def call_host(machine: Machine, name: str, node: ast.Call, arguments: Arguments, context: Context) -> Value | None:
    """Return what a function of the standard library returns, or None when it is not one that is known."""
    if name.startswith("math."):
        return _math(machine, name, node, arguments, context)
    last = name.rpartition(".")[2]
    is_log = name.startswith(("logging.", "absl.logging.", "loguru.logger.")) and last in LOG_METHODS
    if is_log or name in CLOCKS or name.startswith("random."):
        if context.is_staged:
            machine.emit(HostCalled(node=node, context=context, name=name, values=arguments.all()))
        return NONE if is_log else STATIC
    return None


def _math(machine: Machine, name: str, node: ast.Call, arguments: Arguments, context: Context) -> Value:
    values = arguments.positional
    for value in values:
        if context.is_traced and (isinstance(value, Array) or (is_parameter(value) and context.is_staged)):
            machine.emit(NumberNeeded(node=node, context=context, value=value, by=f"{name}()"))
            break
    if any(map(may_hold_data, values)):
        return UNKNOWN
    return METADATA if any(isinstance(v, Known) and v.time is BindingTime.METADATA for v in values) else STATIC
