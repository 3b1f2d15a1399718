"""What is to be warmed up: calls by the shapes of their arguments, whatever they were given as."""

import inspect
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from stagelight.control.call_rebuilding import arguments_of
from stagelight.control.definition import definition_of
from stagelight.control.lock_calls import calls_of_lock
from stagelight.control.lock_file import is_lock_file
from stagelight.control.recorded_calls import recorded_calls
from stagelight.control.value_rebuilding import NotRebuilt
from stagelight.errors import UsageError, WarmUpError
from stagelight.model.recorded_call import RecordedCall
from stagelight.recorder.ledger_file import ledgers_from

_LONGEST_TEXT = 120


class Arguments(msgspec.Struct, frozen=True):
    """The arguments of one call."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class CallSpecification(msgspec.Struct, kw_only=True):
    """One call to warm up.

    Attributes:
        function: Its key in the dictionary of functions.
        shown: Its name for people.
        args: Positional arguments; every array is a ``jax.ShapeDtypeStruct``.
        kwargs: Keyword arguments, likewise.
        text: The arguments for people.
        identity: Equal for calls that lead to the same executable.
        problem: Why the call cannot be made, else empty.
    """

    function: str
    shown: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}
    text: str = ""
    identity: Any = None
    problem: str = ""


def specifications_from(calls: Any, functions: Mapping[str, Any]) -> list[CallSpecification]:
    """Every call that is meant, in the order given.

    Args:
        calls: As ``warm`` takes them.
        functions: The functions by name; the empty name stands for the only function, whatever it is called.

    Raises:
        UsageError: ``calls`` is none of what ``warm`` takes.
        WarmUpError: A ledger or lock has no call of these functions.
    """
    names = tuple(functions)
    recorded = _recorded(calls, functions)
    if recorded is not None:
        return _from_records(recorded, functions)
    if isinstance(calls, Mapping):
        unknown = [name for name in calls if name not in names]
        if unknown:
            raise UsageError(f"calls of {unknown[0]!r}: the functions are {', '.join(map(repr, names))}")
        return [_specification(name, call) for name, several in calls.items() for call in several]
    if len(names) != 1:
        raise UsageError(f"several functions ({', '.join(names)}): give calls as a dictionary, {{name: [call, ...]}}")
    if isinstance(calls, str | bytes) or not isinstance(calls, Iterable):
        raise UsageError(f"calls is a {type(calls).__name__}: give a list of calls, a ledger, or a path")
    return [_specification(names[0], call) for call in calls]


def _recorded(calls: Any, functions: Mapping[str, Any]) -> tuple[RecordedCall, ...] | None:
    path = getattr(calls, "path", calls)
    if not isinstance(path, str | os.PathLike):
        return None
    if is_lock_file(Path(path)):
        named = {_qualname(function): _parameters(function) for function in functions.values()}
        return calls_of_lock(Path(path), named | {name: _parameters(function) for name, function in functions.items()})
    return recorded_calls(ledgers_from([os.fspath(path)]))


def _parameters(function: Any) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


def _name_of(call: RecordedCall, functions: Mapping[str, Any]) -> str | None:
    """Which of the functions a recorded call is of: by its key, or by the name that its definition has."""
    named = [name for name in functions if name in ("", call.function, call.qualname)]
    defined = [name for name, function in functions.items() if _qualname(function) == call.qualname]
    return named[0] if named else defined[0] if len(defined) == 1 else None


def _qualname(function: Any) -> str:
    try:
        return definition_of(function)[2]
    except UsageError:
        return ""


def _from_records(recorded: tuple[RecordedCall, ...], functions: Mapping[str, Any]) -> list[CallSpecification]:
    found, names = [], tuple(functions)
    for call in recorded:
        name = _name_of(call, functions)
        if name is not None:
            found.append(_from_record(name, functions[name], call))
    only = {call.function for call in recorded}
    if names == ("",) and len(only) > 1:
        message = f"calls of {', '.join(sorted(only))} are recorded: name the functions, warm({{name: f}}, ...)"
        raise WarmUpError(message)
    if not found:
        message = f"no call of {', '.join(names)} is recorded; recorded are: {', '.join(sorted(only)) or 'none'}"
        raise WarmUpError(message)
    return found


def _from_record(name: str, function: Any, call: RecordedCall) -> CallSpecification:
    try:
        args, kwargs = arguments_of(call, getattr(function, "__module__", "") or "")
    except NotRebuilt as error:
        return CallSpecification(function=name, shown=call.function, problem=str(error))
    made = _specification(name, Arguments(args, kwargs))
    made.shown = call.function
    return made


def _specification(name: str, call: Any) -> CallSpecification:
    args, kwargs = _parts(call)
    import jax

    leaves, tree = jax.tree.flatten((tuple(args), dict(kwargs)))
    shapes = [shape_of(leaf) for leaf in leaves]
    args, kwargs = jax.tree.unflatten(tree, shapes)
    text = ", ".join(_text(shape) for shape in shapes)
    text = text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "…"
    identity = (name, tree, tuple(_identity(shape) for shape in shapes))
    return CallSpecification(function=name, shown=name, args=args, kwargs=kwargs, text=text, identity=identity)


def _parts(call: Any) -> tuple[Any, Any]:
    """Positional and keyword arguments of whatever stands for a call."""
    if type(call) is tuple:
        return call, {}
    if type(call) is dict:
        return (), call
    if not hasattr(call, "args") or not hasattr(call, "kwargs"):
        kind = type(call).__name__
        message = f"a call is a tuple of positional or a dict of keyword arguments, or stagelight.call(...), not {kind}"
        raise UsageError(message)
    return call.args, call.kwargs


def shape_of(leaf: Any) -> Any:
    """What a leaf is to a compile: a ``jax.ShapeDtypeStruct`` for an array, itself for everything else.

    Where an uncommitted array or a NumPy array lives is no part of it: JAX serves both with one executable.
    """
    import jax

    if isinstance(leaf, jax.Array):
        options = {"sharding": leaf.format if _has_own_layout(leaf) else leaf.sharding} if leaf.committed else {}
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, weak_type=getattr(leaf, "weak_type", False), **options)
    if hasattr(leaf, "shape") and hasattr(leaf, "dtype") and not isinstance(leaf, jax.ShapeDtypeStruct):
        dtype = jax.dtypes.canonicalize_dtype(leaf.dtype)
        return jax.ShapeDtypeStruct(leaf.shape, dtype)
    return leaf


def _has_own_layout(array: Any) -> bool:
    order = getattr(getattr(array.format, "layout", None), "major_to_minor", None)
    return order is not None and tuple(order) != tuple(range(len(order)))


def _identity(leaf: Any) -> Any:
    if hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
        return (leaf.shape, str(leaf.dtype), getattr(leaf, "weak_type", False), str(getattr(leaf, "format", None)),
                str(leaf.sharding))  # fmt: skip
    return (type(leaf), repr(leaf))


def _text(leaf: Any) -> str:
    if hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
        return f"{leaf.dtype}{list(leaf.shape)}"
    return repr(leaf)
