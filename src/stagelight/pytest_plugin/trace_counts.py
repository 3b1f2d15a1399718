"""Counts of traces in one test, for its assertions."""

import contextlib
import fnmatch
from collections.abc import Iterator

from stagelight.attribution.attributor import Conclusion
from stagelight.control.live_attribution import live_attribution
from stagelight.control.temporary_session import end_temporary_session, temporary_session
from stagelight.model.attribution import Miss
from stagelight.recorder.session import active_session


class TraceCounts:
    """What the ``traces`` fixture gives. Misses of the user's own functions, and of others by name."""

    def __init__(self) -> None:
        self.misses: list[Miss] = []

    def __call__(self, function: str) -> int:
        """How often functions of this name (``*`` is a wildcard) were traced so far."""
        return len(self._traces_of(function))

    def causes(self, function: str) -> tuple[str, ...]:
        """The first cause of each of those traces."""
        return tuple(miss.causes[0].slug for miss in self._traces_of(function))

    @property
    def total(self) -> int:
        """How many traces of the user's own functions there were so far."""
        return sum(miss.ledger == "trace" and miss.function.own for miss in self.misses)

    def _traces_of(self, function: str) -> list[Miss]:
        return [
            miss
            for miss in self.misses
            if miss.ledger == "trace"
            and any(fnmatch.fnmatchcase(n, function) for n in (miss.function.name, miss.function.qualname))
        ]

    def hear(self, conclusion: Conclusion) -> None:
        """Take in a conclusion."""
        if isinstance(conclusion, Miss):
            self.misses.append(conclusion)


@contextlib.contextmanager
def counted_traces() -> Iterator[TraceCounts]:
    """Counts that grow until the block ends."""
    session, own = active_session(), None
    if session is None:
        session = own = temporary_session()
    counts, live = TraceCounts(), live_attribution(session)
    live.hearers.append(counts.hear)
    try:
        yield counts
    finally:
        live.hearers.remove(counts.hear)
        if own is not None:
            end_temporary_session(own)
