"""What a later compile or dispatch needs to know of the traces before it."""

import msgspec

from stagelight.attribution.history import is_inspection
from stagelight.attribution.key import Key
from stagelight.attribution.recent import Recent
from stagelight.model.event import Traced

MOST_NOTES = 4096


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

    @property
    def leads_to_compile(self) -> bool:
        """Whether a compile in the call that names this trace follows from it."""
        return self.ran and not self.inspected


class TraceNotes:
    """The notes of the latest traces."""

    def __init__(self) -> None:
        self._notes = Recent[int, TraceNote](most=MOST_NOTES)

    def at(self, trace: int) -> TraceNote | None:
        """The note of one trace."""
        return self._notes.get(trace)

    def add(self, traced: Traced, key: Key, *, ran: bool, avoidable: bool) -> None:
        """Take a note of a trace."""
        self._notes.put(traced.trace, TraceNote(key, ran, avoidable, is_inspection(traced.under)))
