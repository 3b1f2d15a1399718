"""What to trace when a user asks to explain a callable, and whose source to show."""

import functools
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import jax

from stagelight.adapters.leaked_tracers import leak_error
from stagelight.errors import UsageError

_JITTED = type(jax.jit(lambda: None))
"""What ``jax.jit`` returns; the jits of Flax and Equinox have a ``trace`` too, with a result of their own."""


class TraceTarget(NamedTuple):
    """A callable to trace.

    Attributes:
        call: The callable as given, wrappers included.
        function: The Python function under all wrappers; its source is shown.
        static: Names of the arguments that the caller asked to be static.
    """

    call: Callable
    function: types.FunctionType
    static: tuple[str, ...]


def trace_target(call: object, static: Sequence[str] = ()) -> TraceTarget:
    """Find the Python function under jit, partial, methods, modules and other wrappers.

    Raises:
        UsageError: The object cannot be called, is no Python function underneath, or lacks a named parameter.
    """
    if not callable(call):
        message = f"explain needs a function, not {type(call).__name__}"
        raise UsageError(message)
    function = _function_under(call)
    if function is None:
        message = f"cannot explain {call!r}: under it there is no Python function with a source"
        raise UsageError(message)
    names = (static,) if isinstance(static, str) else tuple(static)
    parameters = inspect.signature(function).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    missing = [n for n in names if n not in parameters]
    if missing and not takes_any:
        message = f"{function.__qualname__} has no parameter {missing[0]!r}; it has {', '.join(parameters) or 'none'}"
        raise UsageError(message)
    return TraceTarget(call, function, names)


def _function_under(call: object) -> types.FunctionType | None:
    for _ in range(32):
        if isinstance(call, types.FunctionType) and not hasattr(call, "__wrapped__"):
            return call
        if hasattr(call, "__wrapped__"):
            call = call.__wrapped__
        elif isinstance(call, functools.partial):
            call = call.func
        elif isinstance(call, types.MethodType):
            call = call.__func__
        elif isinstance(call, type):
            return None
        else:
            method = inspect.getattr_static(type(call), "__call__", None)
            if not isinstance(method, types.FunctionType) and not hasattr(method, "__wrapped__"):
                return None
            call = method
    return None


def jaxpr_of(target: TraceTarget, arguments: Sequence[object], keywords: Mapping[str, object]) -> object:
    """Trace the target as a call with these arguments would, and return the closed jaxpr.

    Arguments that hold no array, number or abstract array are given as they are; so are those named static.
    """
    call, given = target.call, tuple(arguments)
    if isinstance(
        call, types.MethodType
    ):  # a method takes over the attributes of its function, but not bound to the object
        call, given = call.__func__, (call.__self__, *given)
    if isinstance(call, _JITTED) and not target.static:
        return _without_leaks(call.trace(*given, **keywords))
    names = list(inspect.signature(target.call).parameters) if target.static else []
    leaves, structure = jax.tree_util.tree_flatten((tuple(arguments), dict(keywords)))
    fixed = _leaves_of_static(target.static, names, arguments, keywords)
    # A jit of Flax or Equinox decides itself what becomes of numbers; they must reach it as they are.
    kinds = () if hasattr(target.call, "lower") else (bool, int, float, complex)
    dynamic = [i for i, leaf in enumerate(leaves) if i not in fixed and (isinstance(leaf, kinds) or _is_array(leaf))]

    def called(*traced: object) -> object:
        filled = list(leaves)
        for index, value in zip(dynamic, traced, strict=True):
            filled[index] = value
        positional, named = jax.tree_util.tree_unflatten(structure, filled)
        return target.call(*positional, **named)

    called.__name__ = called.__qualname__ = target.function.__name__
    return _without_leaks(jax.jit(called).trace(*(leaves[i] for i in dynamic)))


def _without_leaks(traced: jax.stages.Traced) -> object:
    """The jaxpr; a tracer of another trace in it is raised here, as running would."""
    error = leak_error(traced)
    if error is not None:
        raise error
    return traced.jaxpr


def _is_array(leaf: object) -> bool:
    return not isinstance(leaf, type) and hasattr(leaf, "shape") and hasattr(leaf, "dtype")


def _leaves_of_static(
    static: Sequence[str], names: Sequence[str], arguments: Sequence[object], keywords: Mapping[str, object]
) -> set[int]:
    """Indexes, among all leaves of the call, of those in static arguments."""
    fixed, index = set(), 0
    # Keywords are flattened in sorted order, after the positional arguments (jax.tree_util, dictionaries).
    given = [*zip(names, arguments, strict=False), *sorted(keywords.items())]
    for name, value in given:
        count = len(jax.tree_util.tree_leaves(value))
        if name in static:
            fixed.update(range(index, index + count))
        index += count
    return fixed
