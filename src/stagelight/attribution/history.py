"""The earlier keys of one function, found again in constant time."""

from collections import deque
from operator import is_not

import msgspec

from stagelight.attribution.key import AVALS, CONTEXT, CONVENTION, OBJECT, PARTS, STATIC, STRUCTURE, Key, without
from stagelight.attribution.recent import Recent
from stagelight.model.aval import Aval
from stagelight.model.value import Value

WINDOW = 64
REMEMBERED = 400
LEAVES_COMPARED = 4096

# How much a part weighs when the nearest key is looked for. A function made anew with all else equal is nearer than
# an old one with one other leaf: making it once would have avoided the trace.
OTHER_SURROUNDINGS = 0.5
OTHER_OBJECT = 0.9
OTHER_LEAF = 1.0
OTHER_STATIC = 1.0
LIKE_STATIC = 0.9
"""A new object that is like the old one: keeping it would have avoided the trace."""
OTHER_CONVENTION = 2.0
OTHER_CONTEXT = 2.0
OTHER_STRUCTURE = 3.0
NEAREST = 1.0
"""Two keys that differ in one thing are never looked past for a nearer one."""


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
        self.window: deque[tuple[int, Key]] = deque(maxlen=WINDOW)
        self.left_out = Recent[int, Key](most=REMEMBERED * len(PARTS))
        self._latest_rests: tuple[Key, tuple[int, ...]] | None = None

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
        self.window.append((self._but_avals(key), key))
        for rest in self._rests(key):
            self.left_out.put(rest, key)
        return known.number, is_new

    def nearest(self, key: Key) -> Key | None:
        """The earlier key that differs least; of equally near ones the latest."""
        best: Key | None = None
        least = float("inf")
        for rest in self._rests(key):
            other = self.left_out.get(rest)
            if other is not None:
                apart = distance(key, other, coarse_distance(key, other), float("inf"))
                if apart < least or (apart == least and best is not None and other.trace > best.trace):
                    best, least = other, apart
        room = LEAVES_COMPARED
        but_avals, avals = self._but_avals(key), key.avals
        for rest, other in reversed(self.window):
            if least <= NEAREST or room < 0:
                break
            room -= len(avals)
            # Most often only avals differ. How many are other objects is then the least that the two are apart.
            if rest == but_avals and sum(map(is_not, avals, other.avals)) * OTHER_LEAF >= least:
                continue
            coarse = coarse_distance(key, other)
            if coarse >= least:
                continue
            apart = distance(key, other, coarse, least)
            if apart < least:
                best, least = other, apart
        return best

    def _but_avals(self, key: Key) -> int:
        """A digest that agrees for keys that differ in nothing but avals."""
        return hash((self._rests(key)[AVALS], key.under))

    def _rests(self, key: Key) -> tuple[int, ...]:
        """The digests of a key with each part left out; asked for twice in a row for each trace."""
        if self._latest_rests is None or self._latest_rests[0] is not key:
            rests = [without(key.digests, part) for part in PARTS]
            if key.static:  # last, so that it stands at no part's place
                rests.append(hash((rests[STATIC], alike(key.static))))
            self._latest_rests = (key, tuple(rests))
        return self._latest_rests[1]


def coarse_distance(a: Key, b: Key) -> float:
    """A lower bound of the distance, from the digests alone. Written out, because it runs up to 64 times a trace."""
    apart = 0.0 if a.under == b.under else OTHER_SURROUNDINGS
    mine, others = a.digests, b.digests
    if mine == others:
        return apart
    if mine[OBJECT] != others[OBJECT]:
        apart += OTHER_OBJECT
    if mine[CONVENTION] != others[CONVENTION]:
        apart += OTHER_CONVENTION
    if mine[STRUCTURE] != others[STRUCTURE]:
        apart += OTHER_STRUCTURE
    if mine[AVALS] != others[AVALS]:
        apart += OTHER_LEAF
    if mine[STATIC] != others[STATIC]:
        apart += OTHER_STATIC
    if mine[CONTEXT] != others[CONTEXT]:
        apart += OTHER_CONTEXT
    return apart


def distance(a: Key, b: Key, apart: float, most: float) -> float:
    """How far two keys are apart, each leaf and each static argument counted; only a lower bound beyond ``most``.

    Args:
        a: One key.
        b: The other.
        apart: Their coarse distance.
        most: Where it stops to matter.
    """
    if a.digests[AVALS] != b.digests[AVALS] and len(a.avals) == len(b.avals):
        # Equal avals are one object, because one of each is kept.
        apart += OTHER_LEAF * (sum(map(is_not, a.avals, b.avals)) - 1)
        if apart >= most:
            return apart
        apart += OTHER_LEAF * sum(
            properties_apart(x, y) - 1 for x, y in zip(a.avals, b.avals, strict=True) if x is not y
        )
    if a.digests[STATIC] != b.digests[STATIC] and len(a.static) == len(b.static):
        if alike(a.static) == alike(b.static):
            return apart - OTHER_STATIC + LIKE_STATIC
        differing = sum(x[1].token != y[1].token for x, y in zip(a.static, b.static, strict=True))
        apart += OTHER_STATIC * max(differing - 1, 0)
    return apart


def alike(static: tuple[tuple[str, Value], ...]) -> tuple[tuple[str, str, str], ...]:
    """What static arguments look like, the identity of objects left out."""
    return tuple((name, value.type_name, value.content or value.token) for name, value in static)


def properties_apart(a: Aval, b: Aval) -> int:
    """In how many properties two different avals differ, at least 1."""
    apart = (a.shape != b.shape) + (a.dtype != b.dtype) + (a.sharding != b.sharding)
    return max(apart + (a.weak != b.weak and a.dtype == b.dtype), 1)


BUCKETING = "bucketing"
"""Around traces with which a bucketed function is looked at by Stagelight itself."""

INSPECTIONS = frozenset({"eval_shape", "make_jaxpr", "lower", "trace", BUCKETING})


def is_ahead_of_time(under: tuple[str, ...]) -> bool:
    """Whether the program looked at the function, as a warm-up does by lowering it."""
    return is_inspection(under) and BUCKETING not in under


def is_inspection(under: tuple[str, ...]) -> bool:
    """Whether the call only looks at the function."""
    return not INSPECTIONS.isdisjoint(under)
