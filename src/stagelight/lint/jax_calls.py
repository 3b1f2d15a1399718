"""Calls of JAX's own functions: inside a trace nearly all of them give tracers."""

from __future__ import annotations

import ast

from stagelight.lint.arguments import Arguments
from stagelight.lint.arithmetic import joint_number, joint_strength
from stagelight.lint.events import JaxCalled
from stagelight.lint.jax_names import (
    BOOLEAN_FUNCTIONS,
    HOST_QUERIES,
    INEXACT_FUNCTIONS,
    METADATA_FUNCTIONS,
    NOT_ARRAYS,
    STRONG_FUNCTIONS,
    STRUCTURE_KEEPING,
    WEAK_KEEPING_FUNCTIONS,
)
from stagelight.lint.machine import Machine
from stagelight.lint.numpy_calls import length_of_array
from stagelight.lint.tracing_context import Context
from stagelight.lint.values import (
    METADATA,
    NONE,
    STATIC,
    UNKNOWN,
    Array,
    DeviceArray,
    External,
    Instance,
    Known,
    Maybe,
    Number,
    Sequence,
    Strength,
    Tree,
    Value,
    has_array,
    literal_of,
    origins_of,
)
from stagelight.lint.word_list import names

_ARRAY_LIBRARIES = (
    "jax.numpy.",
    "jax.scipy.",
    "jax.nn.",
    "jax.lax.",
    "jax.random.",
    "jax.image.",
    "jax.ops.",
)
_GIVE_SEVERAL = names(
    "split array_split hsplit vsplit dsplit meshgrid unstack broadcast_arrays nonzero divmod modf frexp svd eigh "
    "eig qr slogdet lu top_k unique histogram polydiv lu_factor cho_factor ix_ tril_indices triu_indices "
    "diag_indices mask_indices gradient histogram2d approx_max_k approx_min_k"
)
MADE_INITIALIZER = "jax.nn.initializers.made"
"""Stands for what `jax.nn.initializers.normal()` and its like return: a function of key, shape and dtype."""
_INITIALIZERS = (MADE_INITIALIZER, "jax.nn.initializers.zeros", "jax.nn.initializers.ones")
_ARITHMETIC = names("add sub mul truediv matmul pow neg iadd")
_GIVE_ANYTHING = names("custom_root custom_linear_solve platform_dependent reduce reduce_window linear_solve cond map")
"""Functions of ``jax.lax`` that give what a function passed to them gives."""
_DTYPE_CALLS = ("float", "int", "uint", "bfloat", "complex", "bool_")


def call_jax(machine: Machine, name: str, node: ast.Call, arguments: Arguments, context: Context) -> Value:
    """Return what a function of JAX returns, announcing the call when it happens inside a trace."""
    last = name.rpartition(".")[2]
    if name.startswith(_ARRAY_LIBRARIES):
        return _array_function(machine, name, last, node, arguments, context)
    if last in ("new_ref", "freeze") and context.is_staged:
        return Array(origins_of(*arguments.all()))
    if last in HOST_QUERIES:
        return STATIC
    if last in STRUCTURE_KEEPING:
        return arguments.positional[0] if arguments.positional else UNKNOWN
    return NONE if name.startswith("jax.debug.") else UNKNOWN


def _array_function(
    machine: Machine, name: str, last: str, node: ast.Call, arguments: Arguments, context: Context
) -> Value:
    if name.startswith("jax.nn.initializers."):
        if name in _INITIALIZERS:
            return Array(origins_of(*arguments.all())) if context.is_staged else UNKNOWN
        return External(MADE_INITIALIZER)
    if last in METADATA_FUNCTIONS:
        return METADATA
    first = arguments.positional[0] if arguments.positional else UNKNOWN
    if last == "psum" and isinstance(first, Known):
        return METADATA
    if name.startswith("jax.lax.") and last in STRUCTURE_KEEPING and arguments.positional:
        return _kept(first, context)
    if not context.is_traced:
        return DeviceArray(_strength(last, arguments), _number(last, arguments), length_of_array(last, arguments))
    if context.is_staged:
        event = JaxCalled(
            node=node,
            context=context,
            name=name,
            arguments=arguments.positional,
            keywords=arguments.keywords,
            has_star=arguments.has_star,
        )
        machine.emit(event)
    elif not any(has_array(value) or isinstance(value, Tree) for value in arguments.all()):
        return UNKNOWN
    return _result(name, last, arguments)


def result_of_named(name: str, arguments: Arguments, context: Context) -> Value:
    """Return what a function gives that is passed on by name: `tree.map(jnp.sum, …)`; without announcing the call."""
    last = name.rpartition(".")[2]
    is_operator = name.startswith("operator.") and any(map(has_array, arguments.positional))
    if is_operator and last in _ARITHMETIC:
        return Array(origins_of(*arguments.all()))
    if not context.is_staged or not name.startswith(_ARRAY_LIBRARIES) or last in METADATA_FUNCTIONS:
        return UNKNOWN
    if name == MADE_INITIALIZER or name.startswith("jax.nn.initializers."):
        return Array(origins_of(*arguments.all())) if name in _INITIALIZERS else UNKNOWN
    first = arguments.positional[0] if arguments.positional else UNKNOWN
    if last in STRUCTURE_KEEPING:
        return _kept(first, context)
    return _result(name, last, arguments)


def _kept(value: Value, context: Context) -> Value:
    if isinstance(value, (Array, Tree, Sequence, Instance, Maybe)):
        return Tree(value.origins) if isinstance(value, Tree) else value
    return Array() if context.is_staged and isinstance(value, (Known, DeviceArray)) else UNKNOWN


def _result(name: str, last: str, arguments: Arguments) -> Value:
    origins = origins_of(*arguments.all())
    if last in _GIVE_SEVERAL and not name.startswith("jax.random."):
        return Tree(origins, is_present=True, is_full=True)
    if last in _GIVE_ANYTHING:
        return Maybe(origins)
    is_mask = last in BOOLEAN_FUNCTIONS
    if last == "where" and len(arguments.positional) > 1:
        is_mask = all(isinstance(v, Array) and v.is_mask for v in arguments.positional[1:3])
    return Array(origins, is_mask, _strength(last, arguments), _number(last, arguments))


def _strength(last: str, arguments: Arguments) -> Strength:
    if "dtype" in arguments.keywords or last in STRONG_FUNCTIONS or last in BOOLEAN_FUNCTIONS:
        return "strong"
    values = arguments.positional
    if last in ("sum", "prod", "mean"):
        # What a reduction makes of a weak operand differs between versions of JAX.
        return "strong" if joint_strength(*values[:1]) == "strong" else ""
    if last not in WEAK_KEEPING_FUNCTIONS:
        return ""
    if last in ("full", "full_like"):
        return joint_strength(values[1]) if len(values) == 2 else ""
    if last == "where":
        return joint_strength(*values[1:]) if len(values) == 3 else ""
    if len(values) == 1 and isinstance(values[0], Sequence):
        # An array of Python numbers is strong: only scalars are weak (``jnp.asarray`` in ``jax/_src/numpy``).
        return "strong" if last in ("array", "asarray") else joint_strength(*values[0].items)
    is_binary = last in ("add", "subtract", "multiply", "maximum", "minimum", "power", "dot", "matmul", "clip")
    return joint_strength(*values) if is_binary else joint_strength(*values[:1])


def _number(last: str, arguments: Arguments) -> Number:
    if last in BOOLEAN_FUNCTIONS:
        return "bool"
    if last in NOT_ARRAYS and last.startswith(_DTYPE_CALLS):
        return "float" if "float" in last else "int" if "int" in last else ""
    if "dtype" in arguments.keywords:
        return ""
    if last in INEXACT_FUNCTIONS:
        return "float"
    values = arguments.positional
    if last in ("zeros", "ones", "empty", "eye", "identity"):
        return "float" if len(values) == 1 else ""
    if last in ("array", "asarray") and len(values) > 1:
        return ""
    if last == "full" and len(values) > 2:
        return ""
    if last in ("arange", "array", "asarray", "full", "abs", "sum", "max", "min", "maximum", "minimum"):
        chosen = (
            values[1:] if last == "full" else values[:1] if last not in ("arange", "maximum", "minimum") else values
        )
        return _joint(chosen)
    return ""


def _joint(values: tuple[Value, ...]) -> Number:
    if len(values) == 1 and isinstance(values[0], Sequence):
        values = values[0].items
    known = [v for v in values if not (isinstance(v, Known) and literal_of(v) is None)]
    return joint_number(*known) if known else ""
