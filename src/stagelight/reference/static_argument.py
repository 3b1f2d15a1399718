"""Static arguments: which they are, and how their values are compared in a key.

Follows ``infer_argnums_and_argnames`` and ``_validate_argnums`` in ``jax/_src/api_util.py``, ``FTStatic`` in
``jax/_src/flattree.py`` and ``parse_arguments`` of JAX's C++.
"""

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from stagelight.reference.staging_error import StagingValueError
from stagelight.reference.trace_context import rule_holds

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class StaticArguments(NamedTuple):
    """The positions and the names of the static arguments."""

    numbers: tuple[int, ...]
    names: tuple[str, ...]


class StaticValue:
    """A static value in a key: equal to one of the same type that compares equal."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def require_hash(self) -> int:
        """The hash of the value, or JAX's error where it has none."""
        try:
            return hash(self.value)
        except TypeError as error:
            raise StagingValueError(
                "Non-hashable static arguments are not supported. An error occurred while trying to hash an object of "
                f"type {type(self.value)}, {self.value}. The error was:\nTypeError: {error}"
            ) from None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, StaticValue) and type(self.value) is type(other.value) and bool(self.value == other.value)
        )

    def __hash__(self) -> int:
        return self.require_hash() if rule_holds("static-hash-is-compared") else 0


def resolve(
    function: Callable[..., Any], numbers: int | Iterable[int] | None, names: str | Iterable[str] | None
) -> StaticArguments:
    """Complete positions from names, or names from positions, by the signature; and check both."""
    given_numbers = None if numbers is None else (numbers,) if isinstance(numbers, int) else tuple(numbers)
    given_names = None if names is None else (names,) if isinstance(names, str) else tuple(names)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return StaticArguments(given_numbers or (), given_names or ())
    is_counted = rule_holds("negative-number-counts-parameters")
    both = [(i, q.name) for i, q in enumerate(parameters) if q.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    if given_numbers is None:
        given_numbers = tuple(i for i, name in both if name in (given_names or ()))
    elif given_names is None:
        wanted = {*given_numbers, *(i + len(parameters) for i in given_numbers if is_counted)}
        given_names = tuple(name for i, name in both if i in wanted)
    _check(parameters, given_numbers, given_names or ())
    count = sum(q.kind in _POSITIONAL for q in parameters)
    is_fixed = not any(q.kind is inspect.Parameter.VAR_POSITIONAL for q in parameters)
    if count and is_fixed and is_counted:
        given_numbers = tuple(i % count if i < 0 else i for i in given_numbers)
    return StaticArguments(given_numbers, given_names or ())


def _check(parameters: list[inspect.Parameter], numbers: tuple[int, ...], names: tuple[str, ...]) -> None:
    kinds = {q.kind for q in parameters}
    count = sum(q.kind in _POSITIONAL for q in parameters)
    if numbers and inspect.Parameter.VAR_POSITIONAL not in kinds and not -count <= min(numbers) <= max(numbers) < count:
        raise StagingValueError(
            f"Jitted function has static_argnums={numbers}, but only accepts {count} positional arguments."
        )
    unknown = set(names) - {q.name for q in parameters if q.kind in _NAMED}
    unknown &= {q.name for q in parameters} if inspect.Parameter.VAR_KEYWORD in kinds else unknown
    if unknown:
        raise StagingValueError(
            f"Jitted function has invalid argnames {unknown} in static_argnames. Function does not take these args."
        )
