"""The attributor: reads one ledger entry by entry, and says why each miss happened."""

from collections.abc import Callable

from stagelight.attribution.advising import Advising
from stagelight.attribution.calls import Call, Calls, is_staged, places_of
from stagelight.attribution.causes_found import compile_causes, dispatch_causes, trace_causes
from stagelight.attribution.definitions import Definitions, name_of_module
from stagelight.attribution.evidence import CompileEvidence
from stagelight.attribution.key_parts import changed_names
from stagelight.attribution.limits import Limits
from stagelight.attribution.misses import FoundCauses, compile_miss, dispatch_miss, trace_miss
from stagelight.attribution.open_calls import OpenCall, OpenCalls
from stagelight.attribution.pending_failures import PendingFailures
from stagelight.attribution.per_function import PerFunction
from stagelight.attribution.table_rows import row_of
from stagelight.attribution.trace_notes import TraceNote, TraceNotes
from stagelight.attribution.traces import Traces
from stagelight.model.attribution import (
    Advisory,
    Cause,
    FailureFound,
    FunctionTotals,
    Miss,
    SpecializationTable,
)
from stagelight.model.event import (
    Before,
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
        self._notes = TraceNotes()
        self._readers: dict[type, Callable[..., tuple[Conclusion, ...]]] = {
            FunctionSeen: self._on_definition,
            StructureSeen: self._on_definition,
            ContextSeen: self._on_definition,
            Before: self._on_before,
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
        return failures + self._advising.at_end(self._functions.summaries(self._traces.varied))

    def preview(self, traced: Traced) -> tuple[Cause, ...]:
        """The causes that a trace would have if it happened now; nothing is remembered of it."""
        return trace_causes(self._traces.evidence(traced, self._definitions.function(traced.function)))

    def preview_compile(self, dispatched: Dispatched) -> tuple[Cause, ...]:
        """The causes that a compile in this call would have if it happened now; nothing is remembered of it."""
        note = self._notes.at(dispatched.trace)
        if note is not None and note.leads_to_compile:
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

    def _on_before(self, before: Before) -> tuple[Conclusion, ...]:
        """Remember what there was; it is not counted."""
        match before.entry:
            case Traced() as traced:
                evidence = self._traces.evidence(traced, self._definitions.function(traced.function))
                self._traces.remember(evidence)
                self._notes.add(traced, evidence.key, ran=True, avoidable=False)
            case Dispatched() as dispatched:
                self._open.begin(dispatched)
            case Compiled() as compiled:
                opened = self._open.at(compiled.dispatch)
                if opened is not None:
                    opened.compiled += 1
            case DispatchEnded() as ended:
                self._remember_call(ended)
        return NOTHING

    def _on_traced(self, traced: Traced) -> tuple[Conclusion, ...]:
        function = self._definitions.function(traced.function)
        evidence = self._traces.evidence(traced, function)
        if not traced.ran and not traced.failed:
            self._notes.add(traced, evidence.key, ran=False, avoidable=False)
            self._traces.remember(evidence)
            return NOTHING
        causes = trace_causes(evidence)
        number, is_new = self._traces.remember(evidence)
        miss = trace_miss(traced, evidence, causes, number, self._process)
        self._notes.add(traced, evidence.key, ran=True, avoidable=miss.avoidable)
        row = row_of(miss, evidence.key, changed_names(evidence.change)) if is_new else None
        self._functions.add_trace(miss, row, evidence, traced)
        return (miss, *self._advising.of_trace(traced, function))

    def _on_dispatched(self, dispatched: Dispatched) -> tuple[Conclusion, ...]:
        self._open.begin(dispatched)
        return NOTHING

    def _on_lowered(self, lowered: Lowered) -> tuple[Conclusion, ...]:
        if not lowered.failed:
            self._open.lower(lowered)
            self._functions.add_lowering(self._function_of(lowered), lowered.lower_s)
        return NOTHING

    def _on_compiled(self, compiled: Compiled) -> tuple[Conclusion, ...]:
        lower_s = self._open.lower_seconds(compiled)
        if compiled.failed:
            return NOTHING
        opened = self._open.at(compiled.dispatch)
        note = self._notes.at(compiled.trace or (opened.dispatched.trace if opened is not None else 0))
        evidence, nearest = self._compile_evidence(compiled, opened, note)
        found = FoundCauses(
            causes=CAUSES_AFTER_TRACE if evidence is AFTER_TRACE else compile_causes(evidence),
            nearest=nearest,
            follows_avoidable=evidence.follows_trace and note is not None and note.avoidable,
        )
        trace = note.key.trace if note is not None else 0
        function = self._function_of(compiled)
        miss = compile_miss(compiled, found, function, trace=trace, lower_s=lower_s, process=self._process)
        if opened is not None:
            opened.compiled += 1
        elif note is not None and not evidence.under:
            self._warm_up(compiled, note)
        self._functions.add_compile(miss)
        return (miss,)

    def _function_of(self, entry: Lowered | Compiled) -> Function:
        """The function that a module belongs to, where not known one that has the module's name."""
        opened = self._open.at(entry.dispatch)
        number = entry.function or (opened.dispatched.function if opened is not None else 0)
        return self._definitions.function(number, name_of_module(entry.module))

    def _compile_evidence(
        self, compiled: Compiled, opened: OpenCall | None, note: TraceNote | None
    ) -> tuple[CompileEvidence, int]:
        """What is known of a compile, and the earlier call that it is held against."""
        key = note.key if note is not None else None
        if opened is None:
            return self._calls.ahead_of_time_evidence(compiled, key), 0
        looked_up = self._notes.at(opened.dispatched.trace)
        if looked_up is not None and looked_up.leads_to_compile:
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
        note = self._notes.at(dispatched.trace)
        key = note.key if note is not None else None
        compiled = bool(opened.compiled or opened.lowered or ended.compiled or ended.lowered)
        found: tuple[Conclusion, ...] = NOTHING
        traced = note is not None and note.leads_to_compile
        if not compiled and not traced and not is_staged(dispatched):
            found = (self._slow_dispatch(dispatched, ended, note),)
        if not ended.failed:
            call = self._calls.call(dispatched, key, compiled=compiled)
            self._calls.remember(self._calls.key(dispatched, key), call)
        return found

    def _remember_call(self, ended: DispatchEnded) -> None:
        """Remember a call that ended before recording began."""
        opened = self._open.end(ended.dispatch)
        if opened is not None:
            call = self._calls.call(opened.dispatched, None, compiled=bool(opened.compiled))
            self._calls.remember(self._calls.key(opened.dispatched, None), call)

    def _slow_dispatch(self, dispatched: Dispatched, ended: DispatchEnded, note: TraceNote | None) -> Miss:
        evidence, nearest = self._calls.dispatch_evidence(
            dispatched,
            ended,
            note.key if note is not None else None,
            found_jaxpr=bool(dispatched.trace) and not (note is not None and note.inspected),
        )
        found = FoundCauses(causes=dispatch_causes(evidence), nearest=nearest)
        function = self._definitions.function(dispatched.function)
        miss = dispatch_miss(dispatched, ended, found, function, process=self._process)
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
