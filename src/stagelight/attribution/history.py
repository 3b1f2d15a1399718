"""The earlier keys of one function, found again in constant time."""

from collections import deque

import msgspec

from stagelight.attribution.key import AVALS, CONTEXT, CONVENTION, OBJECT, PARTS, STATIC, STRUCTURE, Key, without
from stagelight.model.aval import Aval

WINDOW = 64
REMEMBERED = 2048
LEAVES_COMPARED = 4096

# How much a part weighs when the nearest key is looked for. A function made anew with all else equal is nearer than
# an old one with one other leaf: making it once would have avoided the trace.
WEIGHTS = {OBJECT: 0.9, CONVENTION: 2.0, STRUCTURE: 3.0, AVALS: 1.0, STATIC: 1.0, CONTEXT: 2.0}
OTHER_SURROUNDINGS = 0.5


class Seen(msgspec.Struct, gc=False):
    """One key that was seen before.

    Attributes:
        number: Number of the specialization within the function, from 1.
        trace: The trace that saw it last.
        cleared: How many times caches had been cleared by then.
        traced_before: How many traces the process had made by then.
        inspected: Whether only inspections saw it.
    """

    number: int
    trace: int
    cleared: int
    traced_before: int
    inspected: bool


class History:
    """The earlier keys of one function.

    Every key stays findable as a whole (one small entry each); the contents of the last ``REMEMBERED`` keys are kept
    to be compared, reachable by every key-with-one-part-left-out; the last ``WINDOW`` are also compared one by one.
    """

    def __init__(self) -> None:
        self.whole: dict[int, Seen] = {}
        self.window: deque[Key] = deque(maxlen=WINDOW)
        self.left_out: dict[int, Key] = {}

    def seen(self, key: Key) -> Seen | None:
        """The entry of exactly this key."""
        return self.whole.get(hash(key.digests))

    def add(self, key: Key, *, cleared: int, traced_before: int) -> tuple[int, bool]:
        """Remember a key; the number of its specialization, and whether it is new."""
        digest = hash(key.digests)
        known = self.whole.get(digest)
        is_new = known is None
        inspected = is_inspection(key.under)
        if known is None:
            known = self.whole[digest] = Seen(len(self.whole) + 1, key.trace, cleared, traced_before, inspected)
        else:
            known.trace, known.cleared, known.traced_before = key.trace, cleared, traced_before
            known.inspected = known.inspected and inspected
        self.window.append(key)
        for part in PARTS:
            rest = without(key.digests, part)
            self.left_out.pop(rest, None)
            self.left_out[rest] = key
        while len(self.left_out) > REMEMBERED * len(PARTS):
            del self.left_out[next(iter(self.left_out))]
        return known.number, is_new

    def nearest(self, key: Key) -> Key | None:
        """The earlier key that differs least; of equally near ones the latest."""
        best: Key | None = None
        least = float("inf")
        for part in PARTS:
            other = self.left_out.get(without(key.digests, part))
            if other is not None:
                apart = distance(key, other)
                if apart < least or (apart == least and best is not None and other.trace > best.trace):
                    best, least = other, apart
        if least <= 1.0:
            return best
        room = LEAVES_COMPARED
        for other in reversed(self.window):
            if coarse_distance(key, other) >= least:
                continue
            room -= len(other.avals)
            if room < 0:
                break
            apart = distance(key, other)
            if apart < least:
                best, least = other, apart
        return best

    def neighbours(self, key: Key) -> int:
        """How many parts of the key could each be changed alone to reach a key that was seen."""
        return sum(without(key.digests, part) in self.left_out for part in PARTS)


def coarse_distance(a: Key, b: Key) -> float:
    """A lower bound of the distance, from the digests alone."""
    apart = 0.0 if a.under == b.under else OTHER_SURROUNDINGS
    if a.digests == b.digests:
        return apart
    for part, (x, y) in enumerate(zip(a.digests, b.digests, strict=True)):
        if x != y:
            apart += WEIGHTS[part]
    return apart


def distance(a: Key, b: Key) -> float:
    """How far two keys are apart, each leaf and each static argument counted."""
    apart = coarse_distance(a, b)
    if a.digests[AVALS] != b.digests[AVALS] and len(a.avals) == len(b.avals):
        apart += WEIGHTS[AVALS] * (leaves_apart(a, b) - 1)
    if a.digests[STATIC] != b.digests[STATIC] and len(a.static) == len(b.static) > 1:
        differing = sum(x[1].token != y[1].token for x, y in zip(a.static, b.static, strict=True))
        apart += WEIGHTS[STATIC] * max(differing - 1, 0)
    return apart


def leaves_apart(a: Key, b: Key) -> int:
    """How many properties of leaves differ. Equal avals are one object, because the attributor keeps one of each."""
    return sum(properties_apart(x, y) for x, y in zip(a.avals, b.avals, strict=True) if x is not y)


def properties_apart(a: Aval, b: Aval) -> int:
    """In how many properties two different avals differ, at least 1."""
    apart = (a.shape != b.shape) + (a.dtype != b.dtype) + (a.sharding != b.sharding)
    return max(apart + (a.weak != b.weak and a.dtype == b.dtype), 1)


INSPECTIONS = frozenset({"eval_shape", "make_jaxpr", "lower", "trace"})


def is_inspection(under: tuple[str, ...]) -> bool:
    """Whether the call only looks at the function."""
    return not INSPECTIONS.isdisjoint(under)
