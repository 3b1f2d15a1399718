"""Bucket policies: from a size to the capacity that it is padded to.

A policy is a frozen record with one question answered twice: the capacity of a size, and the least size that shares
that capacity. Few capacities mean few compiles and much padding; many mean the opposite.
"""

import bisect
from collections.abc import Iterable
from typing import Protocol

import msgspec

from stagelight.errors import UsageError


class Policy(Protocol):
    """Chooses the capacity that a size is padded to."""

    def capacity(self, size: int) -> int:
        """The least allowed capacity that holds ``size``; UsageError beyond the largest."""
        ...

    def least_size(self, capacity: int) -> int:
        """The least size that is padded to ``capacity``."""
        ...


class Edges(msgspec.Struct, frozen=True, kw_only=True):
    """Explicit capacities, ascending."""

    capacities: tuple[int, ...]

    def capacity(self, size: int) -> int:
        """The least listed capacity that holds ``size``."""
        position = bisect.bisect_left(self.capacities, size)
        if position == len(self.capacities):
            raise UsageError(_beyond(size, self.capacities[-1]))
        return self.capacities[position]

    def least_size(self, capacity: int) -> int:
        """One more than the capacity below."""
        position = bisect.bisect_left(self.capacities, capacity)
        return self.capacities[position - 1] + 1 if position else 1


class Growing(msgspec.Struct, frozen=True, kw_only=True):
    """Capacities that grow by a factor, kept to multiples of ``align``, up to ``largest`` where one is given."""

    smallest: int
    growth: float
    align: int
    largest: int | None = None

    def capacity(self, size: int) -> int:
        """Climb from the smallest capacity until it holds ``size``."""
        capacity = self.smallest
        while capacity < size:
            capacity = self._next(capacity)
        return self._kept_below_largest(capacity, size)

    def least_size(self, capacity: int) -> int:
        """One more than the capacity below."""
        below, current = 0, self.smallest
        while current < capacity:
            below, current = current, self._next(current)
        return below + 1

    def _next(self, capacity: int) -> int:
        grown = max(capacity + self.align, int(capacity * self.growth))
        return -(-grown // self.align) * self.align

    def _kept_below_largest(self, capacity: int, size: int) -> int:
        if self.largest is None:
            return capacity
        if size > self.largest:
            raise UsageError(_beyond(size, self.largest))
        return min(capacity, self.largest)


class Multiples(msgspec.Struct, frozen=True, kw_only=True):
    """Capacities that are multiples of one number, up to ``largest`` where one is given."""

    of: int
    largest: int | None = None

    def capacity(self, size: int) -> int:
        """The next multiple."""
        capacity = max(1, -(-size // self.of)) * self.of
        if self.largest is not None and size > self.largest:
            raise UsageError(_beyond(size, self.largest))
        return capacity

    def least_size(self, capacity: int) -> int:
        """One more than the multiple below."""
        return capacity - self.of + 1


def _beyond(size: int, largest: int) -> str:
    return (
        f"size {size} is beyond the largest bucket, {largest}. "
        f"Allow a larger capacity in `buckets`, or split the input before the call."
    )


def _positive(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        message = f"{name} must be a positive integer, and is {value!r}"
        raise UsageError(message)
    return value


def _largest(smallest: int, largest: int | None) -> int | None:
    if largest is None:
        return None
    if _positive("largest", largest) < smallest:
        message = f"the largest capacity, {largest}, is below the smallest, {smallest}"
        raise UsageError(message)
    return largest


def powers_of_two(smallest: int = 8, largest: int | None = None) -> Growing:
    """Capacities that double: few compiles, up to half of each axis padding.

    Args:
        smallest: The least capacity; later ones are this times a power of two.
        largest: The greatest size allowed; a call beyond it is an error.

    Example:
        >>> import stagelight
        >>> stagelight.powers_of_two(8, 64).capacity(17)
        32
    """
    smallest = _positive("smallest", smallest)
    return Growing(smallest=smallest, growth=2.0, align=smallest, largest=_largest(smallest, largest))


def geometric(growth: float = 1.25, *, smallest: int = 8, align: int = 8, largest: int | None = None) -> Growing:
    """Capacities that grow by a factor: more compiles than ``powers_of_two`` and less padding.

    Args:
        growth: How much larger than the one before a capacity is; above 1.
        smallest: The least capacity.
        align: Every later capacity is a multiple of this.
        largest: The greatest size allowed; a call beyond it is an error.

    Example:
        >>> import stagelight
        >>> stagelight.geometric(1.5).capacity(30)
        40
    """
    if not growth > 1:
        message = f"growth must be above 1, and is {growth!r}"
        raise UsageError(message)
    smallest = _positive("smallest", smallest)
    return Growing(
        smallest=smallest, growth=float(growth), align=_positive("align", align), largest=_largest(smallest, largest)
    )


def multiples(of: int, *, largest: int | None = None) -> Multiples:
    """Capacities that are multiples of one number: the right choice for an axis split over that many devices.

    Example:
        >>> import stagelight
        >>> stagelight.multiples(64).capacity(65)
        128
    """
    of = _positive("of", of)
    return Multiples(of=of, largest=_largest(of, largest))


def edges(*capacities: int) -> Edges:
    """Exactly these capacities; a size beyond the last is an error.

    Example:
        >>> import stagelight
        >>> stagelight.edges(8, 32, 100).capacity(33)
        100
    """
    if not capacities:
        message = "edges needs at least one capacity, such as edges(8, 32, 128)"
        raise UsageError(message)
    return Edges(capacities=tuple(sorted({_positive("a capacity", capacity) for capacity in capacities})))


def policy_from(value: "Policy | Iterable[int]") -> Policy:
    """A policy as it is, or explicit capacities as a policy.

    Raises:
        UsageError: Neither a policy nor a list of capacities.
    """
    if hasattr(value, "capacity") and hasattr(value, "least_size"):
        return value  # type: ignore[return-value]
    if isinstance(value, (list, tuple)):
        return edges(*value)
    message = (
        f"buckets must be a policy such as powers_of_two(8), geometric(1.25), multiples(64), edges(8, 32), "
        f"or a list of capacities, and is {value!r}"
    )
    raise UsageError(message)
