"""Static arguments: which they are, and how their values are compared in a key.

Follows ``infer_argnums_and_argnames`` and ``_validate_argnums`` in ``jax/_src/api_util.py``, ``FTStatic`` in
``jax/_src/flattree.py`` and ``parse_arguments`` of JAX's C++.
"""

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from stagelight.reference.staging_error import StagingValueError
from stagelight.reference.trace_context import rule_holds


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
            says = (
                "Non-hashable static arguments are not supported. An error occurred while trying to hash an object of"
            )
            told = f"{says} type {type(self.value)}, {self.value}. The error was:\nTypeError: {error}"
            raise StagingValueError(told) from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StaticValue) or type(self.value) is not type(other.value):
            return False
        return bool(self.value == other.value)

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
    both = [(i, q.name) for i, q in enumerate(parameters) if q.kind is q.POSITIONAL_OR_KEYWORD]
    if given_numbers is None:
        given_numbers = tuple(i for i, name in both if name in (given_names or ()))
    elif given_names is None:
        wanted = {*given_numbers, *(i + len(parameters) for i in given_numbers if is_counted)}
        given_names = tuple(name for i, name in both if i in wanted)
    count = sum(q.kind in (q.POSITIONAL_ONLY, q.POSITIONAL_OR_KEYWORD) for q in parameters)
    is_fixed = not any(q.kind is q.VAR_POSITIONAL for q in parameters)
    if given_numbers and is_fixed and not -count <= min(given_numbers) <= max(given_numbers) < count:
        says = f"static_argnums={given_numbers}, but only accepts {count} positional arguments"
        raise StagingValueError(f"Jitted function has {says}.")
    _check_names(parameters, given_names or ())
    if count and is_fixed and is_counted:
        given_numbers = tuple(i % count if i < 0 else i for i in given_numbers)
    return StaticArguments(given_numbers, given_names or ())


def _check_names(parameters: list[inspect.Parameter], names: tuple[str, ...]) -> None:
    unknown = set(names) - {q.name for q in parameters if q.kind in (q.POSITIONAL_OR_KEYWORD, q.KEYWORD_ONLY)}
    if any(q.kind is q.VAR_KEYWORD for q in parameters):
        unknown &= {q.name for q in parameters}
    if unknown:
        says = f"invalid argnames {unknown} in static_argnames. Function does not take these args"
        raise StagingValueError(f"Jitted function has {says}.")
