"""Record calls that left the C++ fast path, and what came of them."""

import time
from typing import Any

import msgspec

from stagelight.adapters.protocol import DispatchCall
from stagelight.model.event import Dispatched, DispatchEnded, Traced
from stagelight.recorder.book import Book, OpenDispatch
from stagelight.recorder.placements import Placements
from stagelight.recorder.trace_recording import TraceRecording


class DispatchRecording:
    """Turns dispatch hooks into ``Dispatched`` and ``DispatchEnded`` entries.

    Args:
        book: The shared state.
        traces: What is known about jaxprs.
        placements: Describes where arguments live.
    """

    def __init__(self, book: Book, traces: TraceRecording, placements: Placements):
        self._book = book
        self._traces = traces
        self._placements = placements
        self._seen: dict[int, int] = {}
        self._failed: set[int] = set()

    def begin(self, call: DispatchCall) -> Dispatched | None:
        """Open a dispatch and write its beginning; a nested jit inside a trace is none."""
        book, state = self._book, self._book.thread
        tracers = self._placements.tracers(call.leaves)
        trace = state.last_trace if state.last_parameters == id(call.parameters) else 0
        state.last_parameters = state.last_trace = 0
        if state.traces:
            return None
        began = time.perf_counter()
        known = self._traces.known_jaxpr(call.parameters.params.get("jaxpr")) or self._unknown(call)
        if book.before:
            book.write_before(known["object"])
        key = key_of(known)
        if self._only_refills(key, trace):
            return None
        placements, placement_of = self._placements.of_leaves(call.leaves)
        site = book.site(call.frame)
        dispatched = Dispatched(
            at_s=began - book.started,
            dispatch=book.next_number("dispatch"),
            trace=trace,
            placements=placements,
            placement_of=placement_of,
            context=book.context(call.parameters.params.get("ctx_mesh")),
            tracers=tracers,
            effects=call.effects,
            under=site.under,
            call=site.call,
            user=site.user,
            thread=state.number,
            **{k: v for k, v in known.items() if k != "trace"},
        )
        state.dispatches.append(OpenDispatch(dispatched.dispatch, trace, dispatched.function, key, began))
        book.write(dispatched)
        return dispatched

    def _only_refills(self, key: int, trace: int) -> bool:
        """Whether a call is slow just because Stagelight emptied the fast paths: that is not the program's doing."""
        emptied = self._book.fast_paths_emptied
        before = self._seen.get(key)
        self._seen[key] = emptied
        return trace == 0 and before is not None and before < emptied

    def failed(self, traced: Traced) -> None:
        """A call raised while it was traced: JAX takes the fast path from its signature."""
        self._failed.add(key_of(msgspec.structs.asdict(traced)))

    def cleared(self) -> None:
        """Caches were cleared: what was lost is forgotten."""
        self._failed.clear()

    def _unknown(self, call: DispatchCall) -> dict[str, Any]:
        """A jaxpr that was traced before the session began."""
        identity = self._book.function(call.fun)
        avals = tuple(self._traces.aval(a) for a in call.avals)
        return {"function": identity.function.number, "object": identity.object, "avals": avals}

    def end(self, error: BaseException | None) -> None:
        """Close the innermost dispatch and write its end."""
        book, state = self._book, self._book.thread
        if state.traces or not state.dispatches:
            return
        ended, opened = time.perf_counter(), state.dispatches.pop()
        if error is not None:
            self._failed.add(opened.key)
        book.write(
            DispatchEnded(
                at_s=ended - book.started,
                dispatch=opened.number,
                dispatch_s=ended - opened.began,
                lowered=opened.lowered,
                compiled=opened.compiled,
                failed=error is not None,
                lost_fast_path=error is None and opened.key in self._failed,
            )
        )


def key_of(fields: dict[str, Any]) -> int:
    """What tells signatures of a function apart, as one number."""
    static = tuple((name, value.type_name, value.token) for name, value in fields.get("static", ()))
    return hash((fields["function"], fields.get("object"), fields.get("structure"), fields["avals"], static))
