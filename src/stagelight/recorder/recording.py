"""The recorder: hears the hooks, and hands each to the part that records it."""

import sys
import threading
import time
import traceback
from collections.abc import Mapping
from types import FrameType
from typing import Any, Protocol

from stagelight.adapters.ahead_of_time import is_asked_for
from stagelight.adapters.earlier_keys import remember_refused_lowering, remember_refused_trace
from stagelight.adapters.protocol import DispatchCall, TraceCall
from stagelight.errors import RetraceForbidden, StoppedOnPurpose
from stagelight.model.event import CacheCleared, Dispatched, Traced
from stagelight.recorder.book import Book, OpenSpan, OpenTrace, ThreadState
from stagelight.recorder.bucketed_calls import LOOKING, bucketed_call
from stagelight.recorder.call_counting import CallCounting
from stagelight.recorder.compile_recording import KEPT_PROGRAM, CompileRecording
from stagelight.recorder.dispatch_recording import DispatchRecording
from stagelight.recorder.failure_recording import FailureRecording
from stagelight.recorder.kept_programs import KeptPrograms
from stagelight.recorder.monitoring_tool import MonitoringTool
from stagelight.recorder.placements import Placements
from stagelight.recorder.side_effects import SideEffects
from stagelight.recorder.stale_captures import StaleCaptures
from stagelight.recorder.trace_recording import TraceRecording

_RAISE = sys.monitoring.events.RAISE


class Gate(Protocol):
    """Somebody who may stop JAX before work begins."""

    def before_trace(self, traced: Traced) -> BaseException | None:
        """An exception to raise instead of tracing, or ``None``."""

    def before_lowering(self, dispatched: Dispatched | None, span: OpenSpan) -> BaseException | None:
        """An exception to raise instead of lowering or compiling, or ``None``."""


class Recorder:
    """Listens to the hooks of ``adapters`` (``stagelight.adapters.protocol.Listener``).

    Args:
        book: The shared state.
        tool: The monitoring tool.
        calls: Whether to count calls.
        programs: Where compiled programs are kept, if they are.
    """

    def __init__(self, book: Book, tool: MonitoringTool, *, calls: bool = False, programs: KeptPrograms | None = None):
        self.book = book
        self.gates: list[Gate] = []
        self.aot_calls = False
        self._tool = tool
        self._placements = Placements()
        self.traces = TraceRecording(book, self._placements.tracers)
        self._dispatches = DispatchRecording(book, self.traces, self._placements)
        self._compiles = CompileRecording(book, self.traces)
        self._programs = programs
        self._failures = FailureRecording(book)
        self._stale = StaleCaptures(book)
        self._effects = SideEffects(book, tool)
        self._calls = CallCounting(book, tool, self._effects) if calls else None
        self._dispatched: dict[int, Dispatched] = {}
        self._rests = False
        self._hears_bodies = False

    def start(self) -> None:
        """Begin to listen to Python itself; the hooks were installed by the session."""
        self._hears_bodies = self.book.hooks.capabilities.get("whether the body ran") == "on"
        self._failures.watch_raises(self._tool)
        self._effects.start()
        if self._calls is not None:
            import jax

            self._calls.start(type(jax.jit(abs)))

    @property
    def counts_calls(self) -> bool:
        """Whether calls are counted."""
        return self._calls is not None

    def write_calls(self) -> None:
        """Write the calls that were counted and not written yet."""
        if self._calls is not None:
            self._calls.write()

    def finish(self, error: BaseException | None = None) -> None:
        """Write what only the end tells."""
        if self._calls is not None:
            self._calls.write()
        if error is not None:
            self._failures.ended_the_program(error)
        self._stale.write_changes()

    def trace_began(self, call: TraceCall) -> BaseException | None:
        """See ``Listener``."""
        began = time.perf_counter()
        if not self.book.thread.traces:
            self._begin_outermost()
        opened = self.traces.begin(call)
        self._effects.expect_in(opened.identity.inner)
        refusal = None if self._hears_bodies else self._refused(opened)
        if refusal is not None and not self.book.thread.traces:
            self._go_on()
        opened.began = time.perf_counter()
        self.book.inside_s += opened.began - began
        return refusal

    def trace_ended(self, parameters: Any, error: BaseException | None) -> None:
        """See ``Listener``."""
        began = time.perf_counter()
        opened = self.book.thread.traces[-1]
        if error is not None and isinstance(error, (RetraceForbidden, StoppedOnPurpose)):
            self.book.thread.traces.pop()  # inside this trace: nothing was made
            return
        traced = self.traces.end(parameters, error, has_body_hook=self._hears_bodies)
        if error is not None:
            if not self.book.thread.traces:
                self._dispatches.failed(opened.traced)
            self._failures.seen(error, function=traced.function, trace=traced.trace, call=traced.user)
        else:
            self._stale.traced(opened.fun, opened.identity, traced.captured, opened.static, traced.static)
        self.book.inside_s += time.perf_counter() - began

    def traces_abandoned(self, depth: int) -> None:
        """See ``Listener``."""
        del self.book.thread.traces[depth:]
        if not depth:
            self._go_on()

    def _begin_outermost(self) -> None:
        """Listen to traces alone while an outermost one runs, unless another thread may have something to tell.

        JAX raises and catches two exceptions for each operation of a traced function, which in newer JAX is also a
        dispatch; what fails is told by the trace itself.
        """
        self._failures.begin_outermost()
        if threading.active_count() == 1:
            self._rests = True
            self._tool.rest(_RAISE)
            self.book.hooks.rest()

    def _go_on(self) -> None:
        if self._rests:
            self._rests = False
            self._tool.go_on(_RAISE)
            self.book.hooks.go_on()

    @property
    def thread(self) -> ThreadState:
        """See ``Listener``."""
        return self.book.thread

    def _refused(self, opened: OpenTrace) -> BaseException | None:
        """Ask the gates about a trace whose body is about to run; one that is refused is not open any more."""
        if not self.gates:
            return None
        refusal = next((r for r in (g.before_trace(opened.traced) for g in self.gates) if r is not None), None)
        if refusal is not None:
            self.book.thread.traces.pop()
            remember_refused_trace(opened.fun)
        return refusal

    def body_ran(self, fun: Any, traced_for: str, frame: FrameType) -> BaseException | None:
        """See ``Listener``."""
        traces = self.book.thread.traces
        if not traces or traced_for != "jit" or traces[-1].fun is not fun:
            return None
        traces[-1].ran = True
        return self._refused(traces[-1])

    def dispatch_began(self, call: DispatchCall) -> None:
        """See ``Listener``."""
        began = time.perf_counter()
        dispatched = self._dispatches.begin(call)
        if dispatched is not None:
            self._dispatched[self.book.thread.number] = dispatched
            if self._calls is not None:
                self._calls.left_fast_path(call.frame, dispatched.function)
        self.book.inside_s += time.perf_counter() - began

    def dispatch_ended(self, error: BaseException | None) -> None:
        """See ``Listener``."""
        began = time.perf_counter()
        if not self.book.thread.traces:
            self._dispatched.pop(self.book.thread.number, None)
        self._dispatches.end(error)
        self.book.inside_s += time.perf_counter() - began

    def span_began(self, kind: str, module: str, frame: FrameType) -> BaseException | None:
        """See ``Listener``."""
        began = time.perf_counter()
        span = self._compiles.begin(kind, module, frame)
        if kind == "compile" and not self.book.thread.dispatches and is_asked_for(frame):
            self.aot_calls = True
        dispatched = self._dispatched.get(self.book.thread.number)
        refusal = next((r for r in (g.before_lowering(dispatched, span) for g in self.gates) if r is not None), None)
        if refusal is not None:
            self.book.thread.spans.pop()
            remember_refused_lowering(frame)
        self.book.inside_s += time.perf_counter() - began
        return refusal

    def span_ended(self, kind: str, seconds: float) -> None:
        """See ``Listener``."""
        began = time.perf_counter()
        self._compiles.end(kind, seconds)
        self.book.inside_s += time.perf_counter() - began

    def cache_told(self, name: str, value: float | str) -> None:
        """See ``Listener``."""
        self._compiles.cache_told(name, value)

    def keeps_programs(self) -> bool:
        """See ``Listener``."""
        return self._programs is not None

    def module_seen(self, text: str) -> None:
        """See ``Listener``."""
        began = time.perf_counter()
        if self._programs is not None:
            self._compiles.cache_told(KEPT_PROGRAM, self._programs.keep(text))
        self.book.inside_s += time.perf_counter() - began

    def announced(self, name: str, details: Mapping[str, Any]) -> None:
        """See ``Listener``."""
        if name == LOOKING:
            self.book.thread.looking += 1 if details.get("state") == "began" else -1
            return
        entry = bucketed_call(name, details, self.book.now_s())
        if entry is not None:
            self.book.write(entry)

    def jit_made(self, fun: Any, frame: FrameType) -> None:
        """See ``Listener``."""
        if not getattr(fun, "_apply_primitive", False):
            self.book.functions.jit_made(fun, self.book.sites.user(frame))

    def cache_cleared(self, fun: Any, frame: FrameType) -> None:
        """See ``Listener``."""
        number = 0 if fun is None else self.book.function(fun).function.number
        for known in tuple(self.book.before):  # what is lost now would not be known later
            self.book.write_before(known)
        site = self.book.site(frame)
        self._dispatches.cleared()
        self.book.write(
            CacheCleared(at_s=self.book.now_s(), function=number, call=site.user, thread=self.book.thread.number)
        )

    def hook_failed(self, where: str) -> None:
        """See ``Listener``."""
        self.book.problem(f"{where}: {' '.join(traceback.format_exc(limit=-2).split())[-400:]}")
