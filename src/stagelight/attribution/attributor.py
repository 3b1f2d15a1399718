"""The attributor: reads one ledger entry by entry, and says why each miss happened."""

from collections.abc import Callable

import msgspec

from stagelight.attribution.advising import Advising
from stagelight.attribution.calls import Call, Calls, is_staged, places_of
from stagelight.attribution.causes_found import compile_causes, dispatch_causes, trace_causes
from stagelight.attribution.definitions import Definitions
from stagelight.attribution.evidence import CompileEvidence, TraceEvidence
from stagelight.attribution.history import is_inspection
from stagelight.attribution.key import Key
from stagelight.attribution.key_parts import changed_names
from stagelight.attribution.limits import Limits
from stagelight.attribution.open_calls import OpenCall, OpenCalls
from stagelight.attribution.pending_failures import PendingFailures
from stagelight.attribution.per_function import PerFunction
from stagelight.attribution.table_rows import Row
from stagelight.attribution.traces import Traces
from stagelight.model.attribution import (
    EXPECTED_CAUSES,
    Advisory,
    Cause,
    FailureFound,
    FunctionTotals,
    Miss,
    SpecializationTable,
)
from stagelight.model.event import (
    CacheCleared,
    CallsCounted,
    CaptureChanged,
    Compiled,
    ContextSeen,
    Dispatched,
    DispatchEnded,
    Ended,
    Event,
    Failed,
    FunctionSeen,
    Lowered,
    NotHandled,
    StructureSeen,
    Traced,
)
from stagelight.model.function import Function
from stagelight.model.ledger import JaxSeen

type Conclusion = Miss | Advisory | FailureFound

NOTHING: tuple[Conclusion, ...] = ()
"""What most entries lead to."""

AFTER_TRACE = CompileEvidence(follows_trace=True)
CAUSES_AFTER_TRACE = compile_causes(AFTER_TRACE)


class TraceNote(msgspec.Struct, frozen=True, gc=False):
    """What a later compile or dispatch needs to know of a trace.

    Attributes:
        key: Its key.
        ran: Whether the Python body ran.
        avoidable: Whether any of its causes is not an expected one.
        inspected: Whether an inspection asked for it: a call that comes after did not make it.
    """

    key: Key
    ran: bool
    avoidable: bool
    inspected: bool


MOST_NOTES = 4096


class Attributor:
    """Reads the entries of one process in order, and says why each miss happened.

    Nothing that was said is taken back: the conclusions of a longer ledger begin with those of a shorter one, those of
    :meth:`finish` aside. Each entry costs the same however long the ledger is, and what is remembered is bounded for
    each specialization.

    Args:
        process: Index of the ledger, put on each miss.
        limits: Limits of the advisories.
    """

    def __init__(self, *, process: int = 0, limits: Limits | None = None) -> None:
        self._process = process
        self._limits = limits or Limits()
        self._definitions = Definitions()
        self._traces = Traces(self._definitions)
        self._calls = Calls(self._definitions, self._traces)
        self._functions = PerFunction(self._definitions, self._limits)
        self._advising = Advising(self._limits)
        self._open = OpenCalls()
        self._failures = PendingFailures()
        self._notes: dict[int, TraceNote] = {}
        self._readers: dict[type, Callable[..., tuple[Conclusion, ...]]] = {
            FunctionSeen: self._on_definition,
            StructureSeen: self._on_definition,
            ContextSeen: self._on_definition,
            Traced: self._on_traced,
            Dispatched: self._on_dispatched,
            DispatchEnded: self._on_dispatch_ended,
            Lowered: self._on_lowered,
            Compiled: self._on_compiled,
            CacheCleared: self._on_cleared,
            Failed: self._on_failed,
            NotHandled: self._on_not_handled,
            CaptureChanged: self._on_capture_changed,
            CallsCounted: self._on_calls_counted,
            Ended: self._on_ended,
        }

    def feed(self, entry: Event | JaxSeen) -> tuple[Conclusion, ...]:
        """Take in the next entry; what became certain by it."""
        read = self._readers.get(type(entry))
        return NOTHING if read is None else read(entry)

    def finish(self) -> tuple[Conclusion, ...]:
        """What can be said only when the ledger ends: failures that are still open, advisories over all entries."""
        failures = self._on_ended(None)
        return failures + self._advising.at_end(self._functions.summaries())

    def preview(self, traced: Traced) -> tuple[Cause, ...]:
        """The causes that a trace would have if it happened now; nothing is remembered of it."""
        return trace_causes(self._traces.evidence(traced, self._definitions.function(traced.function)))

    def preview_compile(self, dispatched: Dispatched) -> tuple[Cause, ...]:
        """The causes that a compile in this call would have if it happened now; nothing is remembered of it."""
        note = self._notes.get(dispatched.trace)
        if note is not None and note.ran and not note.inspected:
            return CAUSES_AFTER_TRACE
        evidence, _ = self._calls.compile_evidence(dispatched, note.key if note is not None else None)
        return compile_causes(evidence)

    def function(self, number: int, otherwise: str = "") -> Function:
        """The function of that number; where no entry named it, one that is called ``otherwise``."""
        return self._definitions.function(number, otherwise)

    def totals(self) -> tuple[FunctionTotals, ...]:
        """Counts and seconds of each function so far, in the order in which they were first seen."""
        return self._functions.totals()

    def specializations(self, function: int) -> SpecializationTable:
        """The specializations of the function of that number, costliest first; the rest is folded."""
        return self._functions.table(function)

    def _on_definition(self, entry: FunctionSeen | StructureSeen | ContextSeen) -> tuple[Conclusion, ...]:
        self._definitions.learn(entry)
        return NOTHING

    def _on_cleared(self, entry: CacheCleared) -> tuple[Conclusion, ...]:
        self._traces.clear(entry)
        return NOTHING

    def _on_traced(self, traced: Traced) -> tuple[Conclusion, ...]:
        function = self._definitions.function(traced.function)
        evidence = self._traces.evidence(traced, function)
        if not traced.ran and not traced.failed:
            self._note(traced, evidence.key, ran=False, avoidable=False)
            self._traces.remember(evidence)
            return NOTHING
        causes = trace_causes(evidence)
        number, is_new = self._traces.remember(evidence)
        avoidable = is_avoidable(causes)
        seconds = traced.self_s or traced.trace_s
        miss = Miss(
            ledger="trace",
            process=self._process,
            function=function,
            seconds=seconds,
            causes=causes,
            call=traced.user if traced.user.file else traced.call,
            at_s=traced.at_s,
            thread=traced.thread,
            trace=traced.trace,
            parent=traced.parent,
            nearest=evidence.nearest.trace if evidence.nearest is not None else 0,
            specialization=number,
            under=traced.under,
            avoidable=avoidable,
            avoidable_s=seconds if avoidable else 0.0,
            failed=traced.failed,
        )
        self._note(traced, evidence.key, ran=True, avoidable=avoidable)
        row = Row(number, evidence.key, changed_names(evidence.change), miss, seconds) if is_new else None
        self._functions.add_trace(miss, row, evidence, traced)
        return (miss, *self._advising.of_trace(traced, function))

    def _note(self, traced: Traced, key: Key, *, ran: bool, avoidable: bool) -> None:
        self._notes[traced.trace] = TraceNote(key, ran, avoidable, is_inspection(traced.under))
        if len(self._notes) > MOST_NOTES:
            del self._notes[next(iter(self._notes))]

    def _on_dispatched(self, dispatched: Dispatched) -> tuple[Conclusion, ...]:
        self._open.begin(dispatched)
        return NOTHING

    def _on_lowered(self, lowered: Lowered) -> tuple[Conclusion, ...]:
        self._open.lower(lowered)
        return NOTHING

    def _on_compiled(self, compiled: Compiled) -> tuple[Conclusion, ...]:
        lower_s = self._open.lower_seconds(compiled)
        opened = self._open.at(compiled.dispatch)
        if compiled.failed:
            return NOTHING
        note = self._notes.get(compiled.trace or (opened.dispatched.trace if opened is not None else 0))
        evidence, nearest = self._compile_evidence(compiled, opened, note)
        causes = CAUSES_AFTER_TRACE if evidence is AFTER_TRACE else compile_causes(evidence)
        follows_avoidable = evidence.follows_trace and note is not None and note.avoidable
        seconds = lower_s + compiled.compile_s
        avoidable = is_avoidable(causes)
        number = compiled.function or (opened.dispatched.function if opened is not None else 0)
        miss = Miss(
            ledger="compile",
            process=self._process,
            function=self._definitions.function(number, compiled.module.removeprefix("jit_")),
            seconds=seconds,
            causes=causes,
            call=compiled.user if compiled.user.file else compiled.call,
            at_s=compiled.at_s,
            thread=compiled.thread,
            trace=note.key.trace if note is not None else 0,
            nearest=nearest,
            under=compiled.under,
            persistent=compiled.persistent,
            lower_s=lower_s,
            avoidable=avoidable,
            avoidable_s=seconds if avoidable or follows_avoidable else 0.0,
        )
        if opened is not None:
            opened.compiled += 1
        elif note is not None and not evidence.under:
            self._warm_up(compiled, note)
        self._functions.add_compile(miss)
        return (miss,)

    def _compile_evidence(
        self, compiled: Compiled, opened: OpenCall | None, note: TraceNote | None
    ) -> tuple[CompileEvidence, int]:
        """What is known of a compile, and the earlier call that it is held against."""
        key = note.key if note is not None else None
        if opened is None:
            return self._calls.ahead_of_time_evidence(compiled, key), 0
        looked_up = self._notes.get(opened.dispatched.trace)
        if looked_up is not None and looked_up.ran and not looked_up.inspected:
            return AFTER_TRACE, 0
        return self._calls.compile_evidence(opened.dispatched, key)

    def _warm_up(self, compiled: Compiled, note: TraceNote) -> None:
        """Remember a compile ahead of time as a call that has not been made."""
        call = Call(
            number=note.key.trace,
            places=places_of(note.key),
            options=note.key.options,
            cleared=self._traces.cleared(compiled.function),
            compiled=True,
            is_warm_up=True,
        )
        self._calls.remember(self._calls.key_of_trace(compiled.function, note.key), call)

    def _on_dispatch_ended(self, ended: DispatchEnded) -> tuple[Conclusion, ...]:
        opened = self._open.end(ended.dispatch)
        if opened is None:
            return NOTHING
        dispatched = opened.dispatched
        note = self._notes.get(dispatched.trace)
        key = note.key if note is not None else None
        compiled = bool(opened.compiled or opened.lowered or ended.compiled or ended.lowered)
        found: tuple[Conclusion, ...] = NOTHING
        traced = note is not None and note.ran and not note.inspected
        if not compiled and not traced and not is_staged(dispatched):
            found = (self._slow_dispatch(dispatched, ended, note),)
        if not ended.failed:
            call = self._calls.call(dispatched, key, compiled=compiled)
            self._calls.remember(self._calls.key(dispatched, key), call)
        return found

    def _slow_dispatch(self, dispatched: Dispatched, ended: DispatchEnded, note: TraceNote | None) -> Miss:
        evidence, nearest = self._calls.dispatch_evidence(
            dispatched,
            ended,
            note.key if note is not None else None,
            found_jaxpr=bool(dispatched.trace) and not (note is not None and note.inspected),
        )
        miss = Miss(
            ledger="dispatch",
            process=self._process,
            function=self._definitions.function(dispatched.function),
            seconds=ended.dispatch_s,
            causes=dispatch_causes(evidence),
            call=dispatched.user if dispatched.user.file else dispatched.call,
            at_s=dispatched.at_s,
            thread=dispatched.thread,
            nearest=nearest,
            under=dispatched.under,
            failed=ended.failed,
        )
        self._functions.add_dispatch(miss)
        return miss

    def _on_failed(self, failed: Failed) -> tuple[Conclusion, ...]:
        if failed.trace:
            self._traces.fail(failed.trace, failed.what)
        return self._failures.add(failed, self._definitions.function(failed.function))

    def _on_not_handled(self, entry: NotHandled) -> tuple[Conclusion, ...]:
        return self._failures.not_handled(entry.failure)

    def _on_capture_changed(self, changed: CaptureChanged) -> tuple[Conclusion, ...]:
        return self._advising.of_capture(changed, self._definitions.function(changed.function))

    def _on_calls_counted(self, entry: CallsCounted) -> tuple[Conclusion, ...]:
        self._functions.count(entry)
        return NOTHING

    def _on_ended(self, entry: Ended | None) -> tuple[Conclusion, ...]:
        del entry
        return self._failures.all_handled()


def is_avoidable(causes: tuple[Cause, ...]) -> bool:
    """Whether any cause is not an expected one."""
    return any(cause.slug not in EXPECTED_CAUSES for cause in causes)


__all__ = ["Attributor", "Conclusion", "Function", "TraceEvidence", "is_avoidable"]
