"""One tool id of ``sys.monitoring`` (PEP 669), shared by all that Stagelight listens to."""

import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

NAME = "stagelight"


class MonitoringTool:
    """Takes a free tool id, and gives it back.

    Attributes:
        state: ``on``, or why not.
    """

    def __init__(self) -> None:
        self._id = self._take()
        self._events = 0
        self._callbacks: dict[int, Callable[..., Any]] = {}
        self._codes: dict[int, tuple[CodeType, int]] = {}  # by address: code objects hash by content
        self.state = "on" if self._id is not None else "off: all six tool ids of sys.monitoring are taken"

    @staticmethod
    def _take() -> int | None:
        for number in (4, 3, 0, 1, 2, 5):
            if sys.monitoring.get_tool(number) is None:
                try:
                    sys.monitoring.use_tool_id(number, NAME)
                except ValueError:
                    continue
                return number
        return None

    def listen(self, event: int, callback: Callable[..., Any], *, everywhere: bool = True) -> None:
        """Hear an event, everywhere or in the code objects given to ``listen_in``."""
        if self._id is None:
            return
        self._callbacks[event] = callback
        sys.monitoring.register_callback(self._id, event, callback)
        if everywhere:
            self._events |= event
            sys.monitoring.set_events(self._id, self._events)

    def rest(self, event: int) -> None:
        """Hear an event no more for now. Without a callback it costs nothing, and no code has to be changed for it."""
        if self._id is not None:
            sys.monitoring.register_callback(self._id, event, None)

    def go_on(self, event: int) -> None:
        """Hear an event again."""
        if self._id is not None:
            sys.monitoring.register_callback(self._id, event, self._callbacks.get(event))

    def listen_in(self, code: CodeType, event: int) -> None:
        """Hear an event in one code object, also where it runs already."""
        if self._id is None or self.hears_in(code, event):
            return
        events = event | (self._codes[id(code)][1] if id(code) in self._codes else 0)
        self._codes[id(code)] = (code, events)
        sys.monitoring.set_local_events(self._id, code, events)

    def hears_in(self, code: CodeType, event: int) -> bool:
        """Whether an event is heard in a code object."""
        known = self._codes.get(id(code))
        return known is not None and bool(known[1] & event)

    def release(self) -> None:
        """Hear nothing any more, and give the id back."""
        if self._id is None:
            return
        sys.monitoring.set_events(self._id, 0)
        for code, _ in self._codes.values():
            sys.monitoring.set_local_events(self._id, code, 0)
        self._codes.clear()
        for event in (sys.monitoring.events.RAISE, sys.monitoring.events.CALL, sys.monitoring.events.PY_START):
            sys.monitoring.register_callback(self._id, event, None)
        sys.monitoring.free_tool_id(self._id)
        self._id = None
