"""Axes that take a larger size each time."""

import msgspec

from stagelight.attribution.leaf_changes import LeafChange

MOST_AXES = 256


class Growth(msgspec.Struct, frozen=True, kw_only=True):
    """One axis that grew in a row.

    Attributes:
        path: The leaf.
        axis: Which of its axes, from 0.
        first: The first size of the row.
        last: The last one.
        sizes: How many sizes the row has.
    """

    path: str
    axis: int
    first: int
    last: int
    sizes: int


class GrowingAxes:
    """The longest row of growing sizes of each axis."""

    def __init__(self) -> None:
        self._now: dict[tuple[str, int], Growth] = {}
        self._longest: dict[tuple[str, int], Growth] = {}

    def add(self, changes: tuple[LeafChange, ...]) -> None:
        """Take in the leaves that differ from the nearest earlier key."""
        for change in changes:
            for axis in differing_axes(change):
                before, after = change.before.shape[axis], change.after.shape[axis]
                if isinstance(before, int) and isinstance(after, int):
                    self._step(change.path, axis, before, after)

    def _step(self, path: str, axis: int, before: int, after: int) -> None:
        place = (path, axis)
        now = self._now.get(place)
        if now is None and len(self._now) >= MOST_AXES:
            return
        if now is not None and after > now.last:
            now = msgspec.structs.replace(now, last=after, sizes=now.sizes + 1)
        elif after > before:
            now = Growth(path=path, axis=axis, first=before, last=after, sizes=2)
        else:
            now = Growth(path=path, axis=axis, first=after, last=after, sizes=1)
        self._now[place] = now
        longest = self._longest.get(place)
        if longest is None or now.sizes > longest.sizes:
            self._longest[place] = now

    def longest(self) -> tuple[Growth, ...]:
        """The longest row of each axis, the longest first."""
        return tuple(sorted(self._longest.values(), key=lambda growth: -growth.sizes))


def differing_axes(change: LeafChange) -> list[int]:
    """The axes whose size differs; none where the rank does."""
    before, after = change.before.shape, change.after.shape
    if len(before) != len(after):
        return []
    return [axis for axis, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
