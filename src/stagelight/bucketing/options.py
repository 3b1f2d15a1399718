"""The options of ``bucketed``, checked at the door."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from stagelight.errors import UsageError
from stagelight.sizes.policies import Policy, policy_from, powers_of_two

type Names = str | int | Sequence[str | int]

CHOICES: Mapping[str, tuple[str, ...]] = {
    "outputs": ("numpy", "jax", "padded"),
    "on_unsupported": ("error", "exact"),
    "padding": ("zeros", "poison"),
    "loops": ("true-size", "capacity"),
}


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What `stagelight.bucketed` was asked for; see there."""

    buckets: Any
    outputs: str
    on_unsupported: str
    check_first: bool
    padding: str
    loops: str
    in_shardings: Any
    static: tuple[str | int, ...]
    donated: tuple[str | int, ...]

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                message = f"{name} must be one of {', '.join(map(repr, allowed))}, and is {getattr(self, name)!r}"
                raise UsageError(message)

    def policies(self, names: Sequence[str]) -> dict[str, Policy]:
        """The bucket policy of each dimension.

        Raises:
            UsageError: A policy is none, or is given for a dimension that ``dims`` does not name.
        """
        if not isinstance(self.buckets, Mapping):
            return dict.fromkeys(names, policy_from(powers_of_two(8) if self.buckets is None else self.buckets))
        unknown = [name for name in self.buckets if name not in names]
        if unknown:
            message = f"buckets names {unknown[0]!r}, and dims names {', '.join(map(repr, names))}"
            raise UsageError(message)
        return {name: policy_from(self.buckets.get(name, powers_of_two(8))) for name in names}


def as_names(names: Names | None) -> tuple[str | int, ...]:
    """One name or position, or several, as a tuple."""
    if names is None:
        return ()
    return (names,) if isinstance(names, (str, int)) else tuple(names)
