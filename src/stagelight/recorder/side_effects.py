"""Python that runs while tracing and never again: ``print``, logging, time, random numbers.

Found by listening for calls in the code of the functions being traced, and only in those that name such a thing: a
cached call never runs them, so it costs nothing there.
"""

import logging
import random
import sys
import time
import types
from collections.abc import Iterator
from types import CodeType
from typing import Any

from stagelight.model.event import SideEffect
from stagelight.model.site import Site
from stagelight.recorder.book import Book
from stagelight.recorder.monitoring_tool import MonitoringTool

SUSPECTS = frozenset(
    {"print", "input", "open", "logging", "logger", "log", "time", "random", "datetime", "write", "info", "warning",
     "debug", "error", "perf_counter", "monotonic", "randint", "uniform", "normal", "now", "default_rng", "append"}
)  # fmt: skip
_MODULES = {"time": "time", "random": "random", "datetime": "datetime", "secrets": "random"}
_MOST_FUNCTIONS = 64
_MOST_TOLD = 16


class SideEffects:
    """Listens in traced functions, and hands what it heard to the trace that runs.

    Args:
        book: The shared state.
        tool: The monitoring tool.
    """

    def __init__(self, book: Book, tool: MonitoringTool):
        self._book = book
        self._tool = tool
        self._looked_at: dict[int, CodeType] = {}  # by address: code objects hash by content

    def start(self) -> None:
        """Be ready to listen."""
        self._tool.listen(sys.monitoring.events.CALL, self._called, everywhere=False)

    def expect_in(self, inner: Any) -> None:
        """Listen in a function about to be traced, and in the user's own functions that it names."""
        code = getattr(inner, "__code__", None)
        if code is None or id(code) in self._looked_at:
            return
        for found in own_code_of(inner, self._book.ownership.is_own):
            if id(found) not in self._looked_at:
                self._looked_at[id(found)] = found
                if SUSPECTS.intersection(found.co_names):
                    self._tool.listen_in(found, sys.monitoring.events.CALL)

    def heard(self, code: CodeType, offset: int, function: Any) -> None:
        """Keep a call, if it is a side effect and a trace is open."""
        traces = self._book.thread.traces
        if not traces or len(traces[-1].effects) >= _MOST_TOLD:
            return
        what = side_effect_of(function)
        if what:
            line = next((n for start, end, n in code.co_lines() if start <= offset < end and n), code.co_firstlineno)
            effect = SideEffect(what, Site(code.co_filename, line, code.co_qualname))
            if effect not in traces[-1].effects:
                traces[-1].effects.append(effect)

    def _called(self, code: CodeType, offset: int, function: Any, first: Any) -> None:
        try:
            self.heard(code, offset, function)
        except Exception:
            self._book.problem("side effects")


def side_effect_of(function: Any) -> str:
    """What kind of side effect calling this is: ``print``, ``logging``, ``time``, ``random``, or empty."""
    if function is print:
        return "print"
    if isinstance(function, types.MethodType) and isinstance(function.__self__, logging.Logger | logging.LoggerAdapter):
        return "logging"
    module = getattr(function, "__module__", None)
    if isinstance(module, str):
        if module == "logging":
            return "logging"
        if module in _MODULES:
            return _MODULES[module]
        if module.startswith("numpy.random"):
            return "random"
    owner = getattr(function, "__self__", None)
    if owner is time:
        return "time"
    if isinstance(owner, random.Random) or type(owner).__module__.startswith("numpy.random"):
        return "random"
    return "time" if isinstance(owner, type) and owner.__module__ == "datetime" else ""


def own_code_of(inner: Any, is_own: Any) -> Iterator[CodeType]:
    """The code of a function, of the functions inside it, and of the user's own functions that they name."""
    waiting, seen = [inner], set[int]()
    while waiting and len(seen) < _MOST_FUNCTIONS:
        function = waiting.pop()
        code = getattr(function, "__code__", None)
        if code is None or id(code) in seen or not is_own(code.co_filename):
            continue
        seen.add(id(code))
        yield code
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield constant
        known = getattr(function, "__globals__", {})
        waiting += [known[n] for n in code.co_names if isinstance(known.get(n), types.FunctionType)]
        for cell in getattr(function, "__closure__", None) or ():
            try:
                waiting.append(cell.cell_contents)
            except ValueError:
                continue
