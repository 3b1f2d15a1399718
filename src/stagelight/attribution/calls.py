"""The calls of one process that left the fast path: where their arguments lived, and what was compiled in them."""

from collections import deque

import msgspec

from stagelight.attribution.definitions import Definitions
from stagelight.attribution.evidence import CompileEvidence, DispatchEvidence, OptionChange
from stagelight.attribution.key import Key, static_tokens
from stagelight.attribution.placement_changes import PlacementChange, Places, placement_changes
from stagelight.attribution.recent import Recent
from stagelight.attribution.surroundings import transformations
from stagelight.attribution.traces import Traces
from stagelight.model.event import Compiled, Dispatched, DispatchEnded
from stagelight.model.value import Value

MOST_NOTES = 16
MOST_KEYS = 1 << 15
MOST_DIGESTS = 1 << 14

STAGING_TRACERS = frozenset({"DynamicJaxprTracer"})


class Call(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One call, as far as it decides which executable serves it.

    Attributes:
        number: Number of the dispatch, or of the trace for a compile ahead of time.
        places: Where each leaf lived.
        options: Options of the jit.
        jit: Number of the jit wrapper.
        under: Transformations around it.
        cleared: How many times the function's caches had been emptied by then.
        compiled: Whether something was compiled in it.
        is_warm_up: Whether it was a compile ahead of time.
    """

    number: int
    places: Places
    options: tuple[tuple[str, str], ...] = ()
    jit: int = 0
    under: tuple[str, ...] = ()
    cleared: int = 0
    compiled: bool = False
    is_warm_up: bool = False


class Calls:
    """The calls of one process, by function and avals."""

    def __init__(self, definitions: Definitions, traces: Traces) -> None:
        self._definitions = definitions
        self._traces = traces
        self._by_key = Recent[int, deque[Call]](most=MOST_KEYS)
        self._digests = Recent[tuple[int, str, str], bool](most=MOST_DIGESTS)

    def key(self, dispatched: Dispatched, traced: Key | None) -> int:
        """What tells calls apart beside their placement: function, structure, avals, static arguments."""
        if not dispatched.structure and not dispatched.avals and traced is not None:
            return self.key_of_trace(dispatched.function, traced)
        return call_key(dispatched.function, dispatched.structure, dispatched.avals, dispatched.static)

    def key_of_trace(self, function: int, traced: Key) -> int:
        """As ``key``, for a compile ahead of time."""
        return call_key(function, traced.structure, traced.avals, traced.static)

    def remember(self, key: int, call: Call) -> None:
        """Take in a call that ended well."""
        calls = self._by_key.get(key)
        if calls is None:
            calls = deque[Call](maxlen=MOST_NOTES)
        calls.append(call)
        self._by_key.put(key, calls)

    def call(self, dispatched: Dispatched, traced: Key | None, *, compiled: bool) -> Call:
        """The record of one call."""
        places = Places(distinct=dispatched.placements, index=dispatched.placement_of)
        if not dispatched.placements and traced is not None:
            places = places_of(traced)
        return Call(
            number=dispatched.dispatch,
            places=places,
            options=dispatched.options or (traced.options if traced is not None else ()),
            jit=dispatched.jit,
            under=dispatched.under,
            cleared=self._traces.cleared(dispatched.function),
            compiled=compiled,
        )

    def compile_evidence(self, dispatched: Dispatched, traced: Key | None) -> tuple[CompileEvidence, int]:
        """Hold a compile inside a call, without a trace, against earlier calls with the same avals."""
        earlier = self._by_key.get(self.key(dispatched, traced))
        under = transformations(dispatched.under) if dispatched.tracers else ()
        if not earlier:
            return CompileEvidence(is_first=not under, under=under), 0
        now = self.call(dispatched, traced, compiled=True)
        leaves = len(dispatched.avals) or (len(traced.avals) if traced is not None else 0)
        nearest, changes = self._nearest(earlier, now, leaves, dispatched.structure)
        options = option_changes(nearest.options, now.options)
        changes = tuple(change for change in changes if change.kind != "host")
        differs = bool(changes or options or under)
        evidence = CompileEvidence(
            is_first=not any(call.compiled for call in earlier) and not differs,
            placements=changes,
            options=options,
            under=under,
            clearing=None if differs else self._traces.clearing_since(dispatched.function, nearest.cleared),
        )
        return evidence, nearest.number

    def ahead_of_time_evidence(self, compiled: Compiled, traced: Key | None) -> CompileEvidence:
        """Hold a compile outside any call against what was compiled of this function before."""
        under = transformations(compiled.under)
        if under:
            return CompileEvidence(under=under)
        if compiled.module_digest:
            digest = (compiled.function, compiled.module, compiled.module_digest)
            is_first = self._digests.get(digest) is None
            self._digests.put(digest, True)
            return CompileEvidence(is_first=is_first)
        if traced is None:
            return CompileEvidence(is_first=True)
        return CompileEvidence(is_first=self._by_key.get(self.key_of_trace(compiled.function, traced)) is None)

    def dispatch_evidence(
        self, dispatched: Dispatched, ended: DispatchEnded, traced: Key | None, *, found_jaxpr: bool
    ) -> tuple[DispatchEvidence, int]:
        """Hold a call in which nothing was traced or compiled against earlier calls with the same avals.

        Args:
            dispatched: The call.
            ended: Its end.
            traced: The key that it looked for, where it looked for one.
            found_jaxpr: Whether it looked for a jaxpr and found it in another cache.
        """
        earlier = self._by_key.get(self.key(dispatched, traced)) or deque[Call]()
        evidence = DispatchEvidence(
            found_jaxpr=found_jaxpr,
            tracers=dispatched.tracers,
            effects=dispatched.effects,
            lost_fast_path=ended.lost_fast_path,
        )
        if dispatched.tracers or dispatched.effects or ended.lost_fast_path or not earlier:
            return evidence, 0
        called = [call for call in earlier if not call.is_warm_up]
        if not called and not found_jaxpr:
            return DispatchEvidence(was_warmed_up=True), earlier[-1].number
        now = self.call(dispatched, traced, compiled=False)
        nearest, changes = self._nearest(called or earlier, now, len(dispatched.avals), dispatched.structure)
        hosts = tuple(change for change in changes if change.kind == "host")
        if hosts:
            return DispatchEvidence(hosts=hosts), nearest.number
        return DispatchEvidence(
            found_jaxpr=found_jaxpr,
            found_by_equality=not changes and any(v.compared_by == "hash" for _, v in dispatched.static),
            other_wrapper=bool(called) and dispatched.jit not in {call.jit for call in called},
            placements=tuple(change for change in changes if change.kind != "host"),
        ), nearest.number

    def _nearest(
        self, earlier: "deque[Call] | list[Call]", now: Call, leaves: int, structure: str
    ) -> tuple[Call, tuple[PlacementChange, ...]]:
        """The earlier call that is placed most alike; of equally near ones the latest."""
        tree = self._definitions.structure(structure)
        best: Call | None = None
        least: tuple[PlacementChange, ...] = ()
        fewest = (1 << 30, 0)
        for call in reversed(earlier):
            changes = placement_changes(call.places, now.places, leaves, tree)
            apart = (sum(change.kind != "host" for change in changes), len(changes))
            if best is None or apart < fewest:
                best, least, fewest = call, changes, apart
        return best or now, least


def call_key(function: int, structure: str, avals: tuple[object, ...], static: tuple[tuple[str, Value], ...]) -> int:
    """Digest of function, structure, avals and static arguments."""
    return hash((function, structure, avals, static_tokens(static)))


def places_of(key: Key) -> Places:
    """Where the leaves of a traced call lived."""
    return Places(distinct=key.placements, index=key.placement_of)


def option_changes(before: tuple[tuple[str, str], ...], after: tuple[tuple[str, str], ...]) -> tuple[OptionChange, ...]:
    """Options of the jit that differ."""
    if before == after:
        return ()
    old, new = dict(before), dict(after)
    return tuple(
        OptionChange(name=name, before=old.get(name, "default"), after=new.get(name, "default"))
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    )


def is_staged(dispatched: Dispatched) -> bool:
    """Whether the call is part of a trace, so that it has no fast path to leave."""
    return not STAGING_TRACERS.isdisjoint(dispatched.tracers)
