"""The traces of one process: what each is held against, and what is remembered of it."""

from stagelight.attribution.definitions import Definitions
from stagelight.attribution.difference import NO_DIFFERENCE, Difference, difference
from stagelight.attribution.evidence import Clearing, Surroundings, TraceEvidence
from stagelight.attribution.history import History, Seen, is_inspection
from stagelight.attribution.key import OBJECT, Key, key_from_traced, without
from stagelight.attribution.key_parts import STATIC_PREFIX, SeenParts, all_parts, changed_parts
from stagelight.attribution.one_of_each import OneOfEach
from stagelight.attribution.recent import Recent
from stagelight.attribution.surroundings import surroundings, unexplained
from stagelight.model.event import CacheCleared, Failure, Traced
from stagelight.model.function import Function

# Size of the least recently used caches of traces (jax/_src/util.py: weakref_lru_cache, maxsize 2048).
CACHE_SIZE = 2048
MOST_FAILED_KEYS = 256
MOST_FAILURES = 1024
MOST_COMBINED = 6


class Past:
    """What is remembered of the traces of one function."""

    def __init__(self) -> None:
        self.history = History()
        self.parts = SeenParts()
        self.failed = Recent[int, Key](most=MOST_FAILED_KEYS)
        self.clearing: Clearing | None = None
        self.cleared = 0
        self.succeeded = False


class Traces:
    """The traces of one process, by function."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._pasts: dict[int, Past] = {}
        self._values = OneOfEach()
        self._failures = Recent[int, Failure](most=MOST_FAILURES)
        self._clearing: Clearing | None = None
        self._clearings = 0
        self._cleared = 0
        self._count = 0

    def past(self, function: int) -> Past:
        """What is remembered of one function."""
        past = self._pasts.get(function)
        if past is None:
            past = self._pasts[function] = Past()
        return past

    def clear(self, entry: CacheCleared) -> None:
        """The program emptied the caches of all functions, or of one."""
        self._clearings += 1
        if entry.function == 0:
            self._clearing = Clearing(what="jax.clear_caches()", call=entry.call, order=self._clearings)
            self._cleared += 1
            return
        past = self.past(entry.function)
        name = self._definitions.function(entry.function).name
        past.clearing = Clearing(what=f"{name}.clear_cache()", call=entry.call, order=self._clearings)
        past.cleared += 1

    def fail(self, trace: int, failure: Failure) -> None:
        """A trace raised."""
        self._failures.put(trace, failure)

    def clearing_since(self, function: int, cleared: int) -> Clearing | None:
        """What last emptied the caches of a function, if anything did since ``cleared`` clearings."""
        past = self.past(function)
        if self._cleared + past.cleared == cleared:
            return None
        clearings = [clearing for clearing in (past.clearing, self._clearing) if clearing is not None]
        return max(clearings, key=lambda clearing: clearing.order)

    def cleared(self, function: int) -> int:
        """How many times the caches of a function have been emptied."""
        return self._cleared + self.past(function).cleared

    def evidence(self, traced: Traced, function: Function) -> TraceEvidence:
        """Hold a trace against the earlier ones of its function, without remembering it."""
        key = self._key(traced, function)
        past = self.past(traced.function)
        inspection = next((name for name in traced.under if is_inspection((name,))), "")
        retried = past.failed.get(without(key.digests, OBJECT))
        seen = past.history.seen(key)
        if retried is not None and seen is None:
            change = Difference(other_object=retried.digests[OBJECT] != key.digests[OBJECT])
            failure = self._failures.get(retried.trace)
            return TraceEvidence(
                function=function,
                traced=traced,
                key=key,
                nearest=retried,
                change=change,
                inspection=inspection,
                is_retried=True,
                earlier_failure=failure,
            )
        if not past.succeeded or inspection:
            nearest = past.history.nearest(key) if past.succeeded else None
            return TraceEvidence(
                function=function,
                traced=traced,
                key=key,
                nearest=nearest,
                is_first=not past.succeeded,
                inspection=inspection,
            )
        if seen is not None:
            return self._repeated(traced, function, key, seen)
        return self._changed(traced, function, key, past)

    def _key(self, traced: Traced, function: Function) -> Key:
        return key_from_traced(traced, self._values, is_eager=function.kind == "eager")

    def _repeated(self, traced: Traced, function: Function, key: Key, seen: Seen) -> TraceEvidence:
        nearest = self.past(traced.function).history.nearest(key)
        clearing = self.clearing_since(traced.function, seen.cleared)
        around: Surroundings | None = None
        eviction = ""
        if clearing is None:
            if nearest is not None and nearest.digests == key.digests:
                around = surroundings(nearest.under, traced.under)
            if around is None:
                eviction = self._eviction(traced, seen)
        return TraceEvidence(
            function=function,
            traced=traced,
            key=key,
            nearest=nearest,
            is_repeated=True,
            clearing=clearing,
            surroundings=around,
            eviction=eviction,
        )

    def _eviction(self, traced: Traced, seen: Seen) -> str:
        """Why the entry of a key must be gone; empty where that cannot be proved."""
        if traced.earlier_object_alive is False:
            return "its function died"
        between = self._count - seen.traced_before
        if between >= CACHE_SIZE:
            return f"least recently used: {between} traces since, the cache holds {CACHE_SIZE}"
        return ""

    def _changed(self, traced: Traced, function: Function, key: Key, past: Past) -> TraceEvidence:
        nearest = past.history.nearest(key)
        if nearest is None:
            return TraceEvidence(function=function, traced=traced, key=key, is_first=True)
        change = difference(nearest, key, self._definitions, function.parameters)
        around = surroundings(nearest.under, traced.under)
        combination: tuple[str, ...] = ()
        if around is not None:
            left = unexplained(change)
            around = around if left != change or left == NO_DIFFERENCE else None
            change = left
        elif not change.other_object:
            combination = self._combination(change, nearest, key, past)
        return TraceEvidence(
            function=function,
            traced=traced,
            key=key,
            nearest=nearest,
            change=change,
            surroundings=around,
            combination=combination,
        )

    def varied(self, function: int) -> list[tuple[str, int]]:
        """The key parts of a function that had more than one value, with how many, most first."""
        return self.past(function).parts.varied()

    def _combination(self, change: Difference, nearest: Key, key: Key, past: Past) -> tuple[str, ...]:
        """The parts that vary, if each part of the key was seen before."""
        parts = changed_parts(change, nearest, key, self._definitions)
        if not past.parts.are_seen(parts):
            return ()
        names = [name for name, _ in parts] + [name for name, _ in past.parts.varied()]
        return tuple(name.removeprefix(STATIC_PREFIX) for name in list(dict.fromkeys(names))[:MOST_COMBINED])

    def remember(self, evidence: TraceEvidence) -> tuple[int, bool]:
        """Take in a trace; the number of its specialization (0 for a failed one), and whether that is new."""
        key, traced = evidence.key, evidence.traced
        past = self.past(traced.function)
        self._count += 1
        rest = without(key.digests, OBJECT)
        if traced.failed:
            past.failed.put(rest, key)
            return 0, False
        past.failed.drop(rest)
        past.succeeded = True
        if not evidence.is_repeated:
            self._remember_parts(evidence, past)
        cleared = self._cleared + past.cleared
        return past.history.add(key, cleared=cleared, traced_before=self._count)

    def _remember_parts(self, evidence: TraceEvidence, past: Past) -> None:
        nearest, key = evidence.nearest, evidence.key
        if nearest is None or evidence.is_retried or evidence.surroundings is not None or evidence.inspection:
            past.parts.add(all_parts(key, self._definitions))
        else:
            past.parts.add(changed_parts(evidence.change, nearest, key, self._definitions))
