"""Why each miss of this process happens, known while it happens."""

import contextlib
import weakref
from collections.abc import Callable

from stagelight.attribution.attributor import Attributor, Conclusion
from stagelight.attribution.misses import is_avoidable
from stagelight.errors import StagelightError
from stagelight.model.attribution import Cause, Miss
from stagelight.model.event import CallsCounted, Dispatched, Event, Traced
from stagelight.model.function import Function
from stagelight.model.ledger import JaxSeen
from stagelight.recorder.book import OpenSpan
from stagelight.recorder.ledger_file import ledgers_from
from stagelight.recorder.recording import Gate, Recorder
from stagelight.recorder.session import Session

type Hear = Callable[[Conclusion], None]


class LiveAttribution:
    """Follows one session: knows what it has recorded, and what JAX's caches knew before that.

    Args:
        session: A session that has started. It may wait for JAX to be imported.
    """

    def __init__(self, session: Session):
        self.recorder: Recorder | None = None
        self.hearers: list[Hear] = []
        self._path = session.path
        self._attributor = Attributor()
        self._calls: dict[int, int] = {}
        self._waiting: list[Gate] = []
        session.when_attached(self._attach)

    def _attach(self, recorder: Recorder) -> None:
        self.recorder = recorder
        with recorder.book.lock:
            recorder.book.writer.flush()
            self._read_what_is_recorded()
            recorder.book.readers.append(self._hear)
            recorder.gates.extend(self._waiting)

    def _read_what_is_recorded(self) -> None:
        # A ledger that was deleted or cut short while it is written gives what it still has.
        with contextlib.suppress(StagelightError):
            for entry in ledgers_from([str(self._path)])[0].entries():
                self._attributor.feed(entry)

    def _hear(self, entry: Event | JaxSeen) -> None:
        if isinstance(entry, CallsCounted):
            self._calls[entry.function] = self._calls.get(entry.function, 0) + entry.calls
        for conclusion in self._attributor.feed(entry):
            for hear in tuple(self.hearers):
                hear(conclusion)

    def calls_of(self, function: int) -> int | None:
        """Calls of a function so far, the one that runs now included; ``None`` where calls are not counted."""
        if self.recorder is None or not self.recorder.counts_calls:
            return None
        self.recorder.write_calls()
        return self._calls.get(function, 0)

    def trace_about_to_begin(self, traced: Traced) -> Miss:
        """The miss that a trace will be."""
        with self._lock():
            causes = self._attributor.preview(traced)
            function = self._attributor.function(traced.function)
        call = traced.user if traced.user.file else traced.call
        return Miss(
            ledger="trace", function=function, seconds=0.0, causes=causes, call=call, at_s=traced.at_s,
            thread=traced.thread, trace=traced.trace, parent=traced.parent, under=traced.under,
            avoidable=is_avoidable(causes),
        )  # fmt: skip

    def compile_about_to_begin(self, dispatched: Dispatched | None, span: OpenSpan, thread: int) -> Miss:
        """The miss that a lowering or compile will be."""
        function, causes = self._compile_causes(dispatched, span)
        call = span.site.user if span.site.user.file else span.site.call
        return Miss(
            ledger="compile", function=function, seconds=0.0, causes=causes, call=call, at_s=span.at_s, thread=thread,
            trace=span.trace, under=span.site.under, avoidable=is_avoidable(causes),
        )  # fmt: skip

    def _compile_causes(self, dispatched: Dispatched | None, span: OpenSpan) -> tuple[Function, tuple[Cause, ...]]:
        with self._lock():
            function = self._attributor.function(span.function, span.module.removeprefix("jit_"))
            # A module of another function (an eager operation under a transformation) is not held against this call.
            if dispatched is None or (span.function and span.function != dispatched.function):
                return function, (Cause(slug="first-compile"),)
            return function, self._attributor.preview_compile(dispatched)

    def _lock(self) -> contextlib.AbstractContextManager[object]:
        return self.recorder.book.lock if self.recorder is not None else contextlib.nullcontext()

    def add(self, gate: Gate, hear: Hear | None = None) -> None:
        """Let a gate stop JAX, and somebody hear what is concluded, until ``remove``."""
        if hear is not None:
            self.hearers.append(hear)
        gates = self._waiting if self.recorder is None else self.recorder.gates
        gates.append(gate)

    def remove(self, gate: Gate, hear: Hear | None = None) -> None:
        """End what ``add`` began."""
        if hear in self.hearers:
            self.hearers.remove(hear)
        gates = self._waiting if self.recorder is None else self.recorder.gates
        if gate in gates:
            gates.remove(gate)


_OF_SESSION: "weakref.WeakKeyDictionary[Session, LiveAttribution]" = weakref.WeakKeyDictionary()


def live_attribution(session: Session) -> LiveAttribution:
    """The one that follows a session, begun at the first call."""
    known = _OF_SESSION.get(session)
    if known is None:
        known = _OF_SESSION[session] = LiveAttribution(session)
    return known
