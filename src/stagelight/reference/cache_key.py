"""The cache key of a call, built part by part: static values, structure, avals, trace context.

Follows ``_infer_params`` and ``_trace_for_jit`` in ``jax/_src/pjit.py``: the tracing cache is keyed by the function
(held weakly), the arguments as a tree with their static values in place, the avals, and the trace context.
"""

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec

from stagelight.model.machine_step import MachinePart
from stagelight.reference.aval import Aval, aval_of
from stagelight.reference.operand import Array
from stagelight.reference.pytree import Registry, Structure, value_text
from stagelight.reference.staging_error import StagingOverflowError, StagingTypeError
from stagelight.reference.static_argument import StaticArguments, StaticValue
from stagelight.reference.trace_context import TraceContext, current_context, rule_holds

type Part = StaticValue | Structure


class Arguments(NamedTuple):
    """The arguments of a call, taken apart; keywords in the order of their names."""

    positional: tuple[Part, ...]
    named: tuple[tuple[str, Part], ...]
    leaves: tuple[Any, ...] = ()
    paths: tuple[str, ...] = ()

    def rebuilt(self, leaves: Iterable[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The positional and keyword arguments again, around other leaves."""
        remaining = iter(leaves)
        one = lambda part: part.value if isinstance(part, StaticValue) else part.rebuild(remaining)  # noqa: E731
        return [one(part) for part in self.positional], {name: one(part) for name, part in self.named}

    def entries(self) -> list[tuple[str, Part]]:
        """Each argument under its position or its name."""
        return [*((f"argument {i}", part) for i, part in enumerate(self.positional, 1)), *self.named]

    def static_hashes(self) -> tuple[int, ...]:
        """The hashes of the static values."""
        return tuple(part.require_hash() for _, part in self.entries() if isinstance(part, StaticValue))


class CacheKey(NamedTuple):
    """What must be equal, beside the function, for a trace to be used again."""

    positional: tuple[Part, ...]
    named: tuple[tuple[str, Part], ...]
    avals: tuple[Aval, ...]
    context: TraceContext
    declared: tuple[bool, bool]


def split(
    function: Callable[..., Any], static: StaticArguments, registry: Registry, args: Any, kwargs: dict[str, Any]
) -> Arguments:
    """Tell static arguments from dynamic ones, and take the dynamic ones apart."""
    numbers = {i % len(args) if i < 0 else i for i in static.numbers if args}
    leaves: list[Any] = []
    paths: list[str] = []

    def part(value: Any, name: str, is_static: bool) -> Part:
        if is_static:
            return StaticValue(value)
        found, structure = registry.flatten(value)
        leaves.extend(found)
        paths.extend(structure.paths(name))
        return structure

    named_args = zip(_names(function, args, kwargs), args, strict=True)
    positional = tuple(part(value, name, i in numbers) for i, (name, value) in enumerate(named_args))
    named = tuple((name, part(kwargs[name], name, name in static.names)) for name in sorted(kwargs))
    return Arguments(positional, named, tuple(leaves), tuple(paths))


def _names(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> list[str]:
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return [f"args[{i}]" for i in range(len(args))]
    names: list[str] = []
    for name, parameter in bound.signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{name}[{i}]" for i in range(len(bound.arguments.get(name, ())))]
        else:
            names.append(name)
    return names[: len(args)]


def _aval(function: Callable[..., Any], leaf: Any, path: str) -> Aval:
    try:
        return aval_of(leaf)
    except StagingOverflowError:
        says = "An overflow was encountered while parsing an argument to a jitted computation, whose argument path is"
        raise StagingOverflowError(f"{says} {path}. Got {type(leaf)} with value {leaf}") from None
    except StagingTypeError:
        raise StagingTypeError(
            f"Error interpreting argument to {function} as an abstract array. The problematic value is of type "
            f"{type(leaf)} and was passed to the function at path {path}.\nThis typically means that a jit-wrapped "
            "function was called with a non-array argument, and this argument was not marked as static."
        ) from None


def key_of(function: Callable[..., Any], static: StaticArguments, arguments: Arguments, is_plain: bool) -> CacheKey:
    """The key. In a call without tracers, static values are hashed before the size of an integer is looked at."""
    is_compared = not rule_holds("declarations-are-not-compared")
    declared = (is_compared and bool(static.numbers), is_compared and bool(static.names))
    try:
        avals = [_aval(function, leaf, path) for leaf, path in zip(arguments.leaves, arguments.paths, strict=True)]
    except StagingOverflowError:
        if is_plain:
            arguments.static_hashes()
        raise
    return CacheKey(arguments.positional, arguments.named, tuple(avals), current_context(), declared)


def fast_key(arguments: Arguments, key: CacheKey) -> Any:
    """The key of the fast path, which also tells NumPy's and Python's values from arrays."""
    kinds = tuple(isinstance(leaf, Array) and leaf.source is None for leaf in arguments.leaves)
    return key, kinds, arguments.static_hashes()


def key_parts(function: str, arguments: Arguments, key: CacheKey) -> list[MachinePart]:
    """The key as named texts."""
    texts = [("function", function)]
    for name, part in arguments.entries():
        is_static = isinstance(part, StaticValue)
        texts.append(
            (f"static value of {name}", value_text(part.value)) if is_static else (f"structure of {name}", repr(part))
        )
    for path, aval in zip(arguments.paths, key.avals, strict=True):
        texts.append((f"aval of {path}", f"{'weak ' if aval.weak_type else ''}{aval}"))
    texts += [(f"context {name}", str(value)) for name, value in msgspec.structs.asdict(key.context).items()]
    return [MachinePart(name=name, value=value) for name, value in texts]
