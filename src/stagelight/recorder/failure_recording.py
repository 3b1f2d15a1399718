"""Record what raised while tracing or compiling, and what JAX's C++ refused before any hook."""

import sys
from types import CodeType
from typing import Any

from stagelight.adapters.failure_site import failure_site
from stagelight.adapters.failure_slug import TRACING_ERRORS
from stagelight.model.event import Failed, Failure, NotHandled
from stagelight.recorder.book import Book
from stagelight.recorder.monitoring_tool import MonitoringTool

_REFUSED_IN_CPP = ("Non-hashable static arguments", "Exception raised while checking equality of metadata")
_INTERRUPTS = (KeyboardInterrupt, SystemExit, GeneratorExit)


class FailureRecording:
    """Turns exceptions into ``Failed`` entries, one for each exception.

    Exceptions are told apart by address while they pass through; none is kept, since an exception keeps frames alive.

    Args:
        book: The shared state.
    """

    def __init__(self, book: Book):
        self._book = book
        self._numbers: dict[int, int] = {}

    def seen(self, error: BaseException, *, function: int = 0, trace: int = 0) -> None:
        """Record an exception that passes through a hook, unless an inner hook already did."""
        state = self._book.thread
        if state.failing == id(error) or isinstance(error, _INTERRUPTS) or getattr(error, "stagelight_refusal", False):
            return
        state.failing = id(error)
        what = failure_site(error, is_own=self._book.ownership.is_own)
        self._write(error, what, function, trace)

    def nothing_open(self) -> None:
        """No trace is open in this thread: the next exception is another one, whatever its address."""
        self._book.thread.failing = 0

    def watch_raises(self, tool: MonitoringTool) -> None:
        """Hear every exception that is raised in Python code, at about 100 ns each."""
        tool.listen(sys.monitoring.events.RAISE, self._raised)

    def _raised(self, code: CodeType, offset: int, error: BaseException) -> None:
        kind = type(error)
        if kind is ValueError:
            if not (error.args and isinstance(error.args[0], str) and error.args[0].startswith(_REFUSED_IN_CPP)):
                return
        elif kind.__name__ not in TRACING_ERRORS:
            return
        self._outside_a_trace(error)

    def _outside_a_trace(self, error: BaseException) -> None:
        book = self._book
        state = book.thread
        if state.traces or state.failing == id(error):
            return
        owner = book.ownership.of(sys._getframe(2).f_code.co_filename)
        if owner != "own":  # it passes through JAX's or a library's frames first; the user's frame hears it too
            return
        try:
            state.failing = id(error)
            what = failure_site(error, is_own=book.ownership.is_own)
            self._write(error, what, self._function_of(error), 0)
        except Exception:
            book.problem(f"failure outside a trace: {type(error).__name__}")

    def _function_of(self, error: BaseException) -> int:
        """The function whose call was refused: in the failing frame, the jitted objects that its names hold."""
        traceback = error.__traceback__
        while traceback is not None and traceback.tb_next is not None:
            traceback = traceback.tb_next
        if traceback is None:
            return 0
        frame = traceback.tb_frame
        named = [
            frame.f_locals.get(n, frame.f_globals.get(n)) for n in frame.f_code.co_names + frame.f_code.co_varnames
        ]
        jitted = [v for v in named if type(v).__name__ == "PjitFunction"]
        if len(jitted) == 1 and hasattr(jitted[0], "_fun"):
            return self._book.function(jitted[0]._fun).function.number
        return 0

    def _write(self, error: BaseException, what: Failure, function: int, trace: int) -> None:
        book = self._book
        number = book.next_number("failure")
        if len(self._numbers) > 256:
            self._numbers.clear()
        self._numbers[id(error)] = number
        if book.redact:
            what = Failure(slug=what.slug, error=what.error, site=what.site, column=what.column,
                           expression=what.expression, arguments=what.arguments)  # fmt: skip
        book.write(Failed(at_s=book.now_s(), failure=number, what=what, function=function, trace=trace,
                          call=what.site, thread=book.thread.number))  # fmt: skip

    def ended_the_program(self, error: BaseException) -> None:
        """The program ended with this exception: it, or one that it came from, was not handled."""
        link: Any = error
        for _ in range(16):
            if link is None:
                return
            number = self._numbers.get(id(link))
            if number is not None:
                self._book.write(NotHandled(failure=number))
                return
            link = link.__cause__ or link.__context__
