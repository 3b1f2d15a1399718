"""Calls of what is outside the program: JAX, NumPy, builtins, and libraries that are known."""

from __future__ import annotations

import ast

from stagelight.lint.arguments import Arguments, evaluate_arguments
from stagelight.lint.assignment import element_of
from stagelight.lint.builtin_calls import call_builtin
from stagelight.lint.control_flow_calls import CONTROL_FLOW, call_control_flow
from stagelight.lint.equinox_calls import call_equinox
from stagelight.lint.host_calls import call_host
from stagelight.lint.jax_calls import call_jax
from stagelight.lint.jax_names import CALLBACKS
from stagelight.lint.known_items import MOST_ITEMS, items_of
from stagelight.lint.machine import Machine
from stagelight.lint.numpy_calls import call_numpy
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.transformations import TRANSFORMATIONS, Staging
from stagelight.lint.transformed_calls import call_value, make_transformed
from stagelight.lint.tree_calls import call_tree
from stagelight.lint.values import (
    METADATA,
    NONE,
    UNKNOWN,
    Array,
    External,
    Partial,
    Sequence,
    Transformer,
    Tree,
    Value,
    has_array,
    is_none,
    origins_of,
    parts_of,
)

_TREE_PREFIXES = ("jax.tree.", "jax.tree_util.", "optax.tree", "chex.tree")
_JAX_PREFIXES = ("jax.numpy.", "jax.scipy.", "jax.nn.", "jax.lax.", "jax.random.", "jax.image.", "jax.ops.", "jax.")
_READ_SHAPES_ONLY = ("jax.eval_shape", "equinox.filter_eval_shape", "jax.make_jaxpr")


def call_external(machine: Machine, name: str, node: ast.Call, scope: Scope, context: Context) -> Value:
    """Return what a function outside the program returns."""
    transformation = TRANSFORMATIONS.get(name)
    if transformation is not None:
        arguments = evaluate_arguments(machine, node, scope, context)
        if not arguments.positional:
            return Transformer(transformation, tuple(node.keywords))
        function = arguments.positional[0]
        made = make_transformed(machine, transformation, function, tuple(node.keywords), node, scope, context)
        return METADATA if name in _READ_SHAPES_ONLY and context.is_traced else made
    if name in CONTROL_FLOW:
        return call_control_flow(machine, name, node, evaluate_arguments(machine, node, scope, context), scope, context)
    if name in CALLBACKS:
        return _call_back(machine, name, node, scope, context)
    arguments = evaluate_arguments(machine, node, scope, context)
    if name == "functools.partial":
        return _partial(node, arguments)
    return _by_library(machine, name, node, arguments, scope, context)


def _by_library(
    machine: Machine, name: str, node: ast.Call, arguments: Arguments, scope: Scope, context: Context
) -> Value:
    if name.startswith("builtins."):
        return call_builtin(machine, name.removeprefix("builtins."), node, arguments, scope, context)
    if name.startswith(_TREE_PREFIXES):
        return call_tree(machine, name, arguments, scope, context)
    if name in ("jax.linearize", "jax.vjp", "jax.jvp"):
        return _with_derivative(machine, name, arguments, scope, context)
    if name == "functools.reduce" and len(arguments.positional) > 1:
        return _reduced(machine, arguments, scope, context)
    if name.startswith(_JAX_PREFIXES):
        return call_jax(machine, name, node, arguments, context)
    if name.startswith("numpy."):
        return call_numpy(machine, name, node, arguments, context)
    if name == "types.MappingProxyType" and len(arguments.positional) == 1:
        return arguments.positional[0]
    if name == "typing.cast" and len(arguments.positional) == 2:
        return arguments.positional[1]
    if name.startswith("equinox."):
        return call_equinox(name, arguments, context)
    found = call_host(machine, name, node, arguments, context)
    if found is not None:
        return found
    if (
        name.startswith(("einops.", "optax.", "flax.linen."))
        and context.is_staged
        and any(map(has_array, arguments.all()))
    ):
        return Array(origins_of(*arguments.all())) if _gives_array(name) else UNKNOWN
    return UNKNOWN


def _with_derivative(machine: Machine, name: str, arguments: Arguments, scope: Scope, context: Context) -> Value:
    """Return the result of the function itself, and beside it what stands for its derivative."""
    if not context.is_traced or arguments.has_star or len(arguments.positional) < 2:
        return UNKNOWN
    function, *primals = arguments.positional
    if name == "jax.jvp":
        primals = list(parts_of(primals[0]))
    result = call_value(machine, function, Arguments(tuple(primals)), context, None, scope)
    if "has_aux" not in arguments.keywords:
        return Sequence((result, Tree(origins_of(*primals)) if name == "jax.jvp" and has_array(result) else UNKNOWN))
    pair = parts_of(result)
    return Sequence((pair[0], UNKNOWN, pair[1])) if len(pair) == 2 else UNKNOWN


def _reduced(machine: Machine, arguments: Arguments, scope: Scope, context: Context) -> Value:
    items = items_of(machine, arguments.positional[1])
    if not context.is_traced or not items or arguments.has_star or len(items) > MOST_ITEMS:
        element = element_of(arguments.positional[1])
        two = Arguments((element, element))
        result = (
            call_value(machine, arguments.positional[0], two, context, None, scope) if context.is_traced else UNKNOWN
        )
        return result if isinstance(element, Array) and isinstance(result, Array) else UNKNOWN
    has_start = len(arguments.positional) > 2
    held = arguments.positional[2] if has_start else items[0]
    for item in items if has_start else items[1:]:
        held = call_value(machine, arguments.positional[0], Arguments((held, item)), context, None, scope)
    return held


def _gives_array(name: str) -> bool:
    library, _, function = name.rpartition(".")
    if library == "optax":
        words = ("softmax", "sigmoid", "l2", "huber", "cosine", "ctc", "hinge", "squared", "kl", "log")
        return function.startswith(words) and function.endswith(("loss", "entropy", "error", "divergence", "labels"))
    if library == "flax.linen":
        return function in ("relu", "gelu", "silu", "softmax", "tanh", "sigmoid", "softplus", "elu", "leaky_relu")
    return library == "einops"


def _call_back(machine: Machine, name: str, node: ast.Call, scope: Scope, context: Context) -> Value:
    # The callback itself runs on the host with concrete arrays: it is not evaluated.
    rest = [machine.evaluate(argument, scope, context) for argument in node.args[1:]]
    if "debug" in name or not rest or is_none(rest[0]):
        return NONE
    return Tree(origins_of(*rest)) if context.is_staged else UNKNOWN


def _partial(node: ast.Call, arguments: Arguments) -> Value:
    if not arguments.positional or arguments.has_star:
        return UNKNOWN
    function = arguments.positional[0]
    if isinstance(function, External):
        transformation = TRANSFORMATIONS.get(function.name)
        is_transformer = transformation is not None and transformation.staging is not Staging.PLAIN
        if transformation is not None:
            return Transformer(transformation, tuple(node.keywords)) if is_transformer else UNKNOWN
    return Partial(function, arguments.positional[1:], tuple(arguments.keywords.items()))
