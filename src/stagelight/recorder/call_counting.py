"""The call ledger: count every call of a jitted function, cached ones too, without a proxy.

Local ``sys.monitoring`` CALL events in the code that calls: each new code object of the user's own is seen once when it
first starts, and each place where a call left the fast path is added. Off, it costs nothing.
"""

import sys
import time
from types import CodeType, FrameType, MethodType
from typing import Any

from stagelight.model.aval import Aval, text_from_aval
from stagelight.model.event import CallsCounted
from stagelight.model.site import Site
from stagelight.recorder.book import Book
from stagelight.recorder.monitoring_tool import MonitoringTool
from stagelight.recorder.side_effects import SideEffects

_WRITE_EVERY_S = 1.0


class Tally:
    """Calls from one place of one function with one first argument, not written yet."""

    __slots__ = ("calls", "first", "function", "last")

    def __init__(self, function: int, first: tuple[Any, ...]):
        self.function = function
        self.calls = 0
        self.first = first
        self.last = 0.0


class CallCounting:
    """Counts calls and writes them as ``CallsCounted`` entries, at most once a second and at the end.

    Args:
        book: The shared state.
        tool: The monitoring tool.
        effects: Shares the CALL event.
    """

    def __init__(self, book: Book, tool: MonitoringTool, effects: SideEffects):
        self._book = book
        self._tool = tool
        self._effects = effects
        self._tallies: dict[tuple[Any, ...], Tally] = {}
        self._jitted: Any = None
        self._written = time.perf_counter()

    def start(self, jitted: type) -> None:
        """Begin to count calls of objects of a type."""
        self._jitted = jitted
        events = sys.monitoring.events
        self._tool.listen(events.CALL, self._called, everywhere=False)
        self._tool.listen(events.PY_START, self._started)
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:  # code that already runs never starts again
            self._listen_in(frame.f_code)
            frame = frame.f_back

    def _started(self, code: CodeType, offset: int) -> Any:
        try:
            self._listen_in(code)
        except Exception:
            self._book.problem("call counting")
        return sys.monitoring.DISABLE

    def _listen_in(self, code: CodeType) -> None:
        if self._book.ownership.is_own(code.co_filename):
            self._tool.listen_in(code, sys.monitoring.events.CALL)

    def left_fast_path(self, frame: FrameType | None, function: int) -> None:
        """A call left the fast path: count it where nobody listens, and listen there from now on."""
        while frame is not None and self._book.ownership.of(frame.f_code.co_filename) in ("jax", "stagelight"):
            frame = frame.f_back
        if frame is None or self._tool.hears_in(frame.f_code, sys.monitoring.events.CALL):
            return
        code = frame.f_code
        place = (code, frame.f_lasti, ())
        self._tally((function, *place), function)
        self._tool.listen_in(code, sys.monitoring.events.CALL)

    def _called(self, code: CodeType, offset: int, function: Any, first: Any) -> None:
        jitted = function.__func__ if type(function) is MethodType else function
        if type(jitted) is not self._jitted:
            self._effects.heard(code, offset, function)
            return
        try:
            shape = (first.shape, first.dtype, getattr(first, "weak_type", False))
        except AttributeError:
            shape = ()
        self._tally((id(jitted), code, offset, shape), jitted)

    def _tally(self, key: tuple[Any, ...], function: Any) -> None:
        tally = self._tallies.get(key)
        if tally is None:
            # The number is found now: keeping the function until the tally is written would keep it alive.
            number = function if type(function) is int else self._book.number_of_jitted(function)
            tally = self._tallies[key] = Tally(number, key[3])
        tally.calls += 1
        tally.last = now = time.perf_counter()
        if now - self._written > _WRITE_EVERY_S:
            self.write()

    def write(self) -> None:
        """Write what was counted since the last time."""
        self._written = time.perf_counter()
        tallies, self._tallies = self._tallies, {}
        for (_, code, place, _), tally in tallies.items():
            line = next((n for s, e, n in code.co_lines() if s <= place < e and n), code.co_firstlineno)
            self._book.write(
                CallsCounted(
                    function=tally.function,
                    calls=tally.calls,
                    call=Site(code.co_filename, line, code.co_qualname),
                    first_argument=_text_of(tally.first),
                    last_at_s=tally.last - self._book.started,
                )
            )


def _text_of(first: tuple[Any, ...]) -> str:
    if not first:
        return ""
    shape, dtype, weak = first
    return text_from_aval(Aval(tuple(shape), getattr(dtype, "name", str(dtype)), bool(weak)))
