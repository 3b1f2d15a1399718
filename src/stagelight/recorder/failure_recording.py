"""Record what raised while tracing or compiling, and what JAX's C++ refused before any hook."""

import sys
import weakref
from types import CodeType
from typing import Any

import msgspec

from stagelight.adapters.failure_site import failure_site
from stagelight.adapters.failure_slug import TRACING_ERRORS
from stagelight.errors import RetraceForbidden, StoppedOnPurpose
from stagelight.model.event import Failed, Failure, NotHandled
from stagelight.model.site import NOWHERE, Site
from stagelight.recorder.book import Book
from stagelight.recorder.monitoring_tool import MonitoringTool

_REFUSED_IN_CPP = ("Non-hashable static arguments", "Exception raised while checking equality of metadata")
_INTERRUPTS = (KeyboardInterrupt, SystemExit, GeneratorExit)


def mark_of(error: BaseException) -> Any:
    """Something to know an exception by while it passes, without keeping it: a weak reference, or its address."""
    try:
        return weakref.ref(error)
    except TypeError:  # the exceptions of the interpreter itself
        return id(error)


def is_same(mark: Any, error: BaseException) -> bool:
    """Whether a mark is that of an exception."""
    return mark() is error if isinstance(mark, weakref.ref) else mark == id(error)


class FailureRecording:
    """Turns exceptions into ``Failed`` entries, one for each exception.

    Exceptions are told apart by address while they pass through; none is kept, since an exception keeps frames alive.

    Args:
        book: The shared state.
    """

    def __init__(self, book: Book):
        self._book = book
        self._numbers: dict[int, int] = {}
        self._of_no_interest: set[type[BaseException]] = set()

    def seen(self, error: BaseException, *, function: int = 0, trace: int = 0, call: Site = NOWHERE) -> None:
        """Record an exception that passes through a hook, unless an inner hook already did.

        An exception that has not reached the user's own code yet is left to the hook further out.
        """
        state = self._book.thread
        if is_same(state.failing, error) or isinstance(error, (*_INTERRUPTS, RetraceForbidden, StoppedOnPurpose)):
            return
        state.failing = mark_of(error)
        what = failure_site(error, is_own=self._book.ownership.is_own)
        if not what.site.file and state.traces:
            state.failing = None
            return
        self._write(error, what, function, trace, call)

    def begin_outermost(self) -> None:
        """An outermost trace begins in this thread: the next exception is another one, whatever its address."""
        self._book.thread.failing = None

    def watch_raises(self, tool: MonitoringTool) -> None:
        """Hear every exception that is raised in Python code, at about 100 ns each."""
        of_no_interest, look_at = self._of_no_interest, self._raised

        def raised(code: CodeType, offset: int, error: BaseException) -> None:
            if type(error) not in of_no_interest:  # JAX itself raises and catches about two for each traced operation
                look_at(error)

        tool.listen(sys.monitoring.events.RAISE, raised)

    def _raised(self, error: BaseException) -> None:
        kind = type(error)
        if kind is ValueError:
            if not (error.args and isinstance(error.args[0], str) and error.args[0].startswith(_REFUSED_IN_CPP)):
                return
            traceback = error.__traceback__
            if traceback is not None and traceback.tb_next is not None:
                return  # raised in an inner frame, and heard there
        elif kind.__name__ not in TRACING_ERRORS:
            if kind.__module__ == "builtins":
                self._of_no_interest.add(kind)
            return
        self._outside_a_trace(error)

    def _outside_a_trace(self, error: BaseException) -> None:
        book = self._book
        state = book.thread
        if state.traces or (type(error) is not ValueError and is_same(state.failing, error)):
            return
        owner = book.ownership.of(sys._getframe(3).f_code.co_filename)
        if owner != "own":  # it passes through JAX's or a library's frames first; the user's frame hears it too
            return
        try:
            state.failing = mark_of(error)
            what = failure_site(error, is_own=book.ownership.is_own)
            self._write(error, what, self._function_of(error), 0, NOWHERE)
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

    def _write(self, error: BaseException, what: Failure, function: int, trace: int, call: Site) -> None:
        book = self._book
        if not what.site.file and call.file:
            what = msgspec.structs.replace(what, site=call)
        number = book.next_number("failure")
        if len(self._numbers) > 256:
            self._numbers.clear()
        self._numbers[id(error)] = number
        if book.redact:
            what = msgspec.structs.replace(what, message="")
        book.write(Failed(at_s=book.now_s(), failure=number, what=what, function=function, trace=trace,
                          call=call if call.file else what.site, thread=book.thread.number))  # fmt: skip

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
