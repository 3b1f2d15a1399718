"""Calls that have begun and not ended, with what was lowered in them."""

import msgspec

from stagelight.model.event import Compiled, Dispatched, Lowered

MOST_OPEN = 4096


class OpenCall(msgspec.Struct):
    """One call that left the fast path and has not ended."""

    dispatched: Dispatched
    lowered: int = 0
    compiled: int = 0


class OpenCalls:
    """Calls that have begun and not ended; bounded, because a killed thread never ends its call."""

    def __init__(self) -> None:
        self._calls: dict[int, OpenCall] = {}
        self._lowered_s: dict[tuple[int, int, str], float] = {}

    def begin(self, dispatched: Dispatched) -> None:
        """A call left the fast path."""
        self._calls[dispatched.dispatch] = OpenCall(dispatched)
        if len(self._calls) > MOST_OPEN:
            del self._calls[next(iter(self._calls))]

    def at(self, dispatch: int) -> OpenCall | None:
        """The open call of that number."""
        return self._calls.get(dispatch)

    def end(self, dispatch: int) -> OpenCall | None:
        """A call ended; None where its beginning is not in the ledger."""
        return self._calls.pop(dispatch, None)

    def lower(self, lowered: Lowered) -> None:
        """A module was lowered; its seconds belong to the compile that follows."""
        call = self._calls.get(lowered.dispatch)
        if call is not None:
            call.lowered += 1
        place = place_of(lowered)
        self._lowered_s[place] = self._lowered_s.get(place, 0.0) + lowered.lower_s
        if len(self._lowered_s) > MOST_OPEN:
            del self._lowered_s[next(iter(self._lowered_s))]

    def lower_seconds(self, compiled: Compiled) -> float:
        """The seconds of the lowering that a compile follows from, taken once."""
        return self._lowered_s.pop(place_of(compiled), 0.0)


def place_of(entry: Lowered | Compiled) -> tuple[int, int, str]:
    """What ties a lowering to its compile: the call, or ahead of time the trace; and the module."""
    return entry.dispatch, 0 if entry.dispatch else entry.trace, entry.module
