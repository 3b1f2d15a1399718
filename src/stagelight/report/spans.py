"""The timeline: when each trace, lowering, compile and slow dispatch ran, the costliest of each thread kept."""

import heapq

from stagelight.model.event import Compiled, Dispatched, DispatchEnded, Event, FunctionSeen, Lowered, Traced
from stagelight.model.ledger import JaxSeen
from stagelight.report.document import Lane, Span

SPANS_A_LANE = 2000
LANES = 32

# kind, start, trace, function, module; the first two items of an entry decide which spans are kept.
type _Kept = tuple[float, int, str, float, int, int, str]


class Spans:
    """The spans of one process while its events still arrive."""

    def __init__(self) -> None:
        self._lanes: dict[int, list[_Kept]] = {}
        self._folded: dict[int, int] = {}
        self._open: dict[int, Dispatched] = {}
        self._names: dict[int, str] = {}
        self._threads: dict[int, int] = {}
        self._number = 0

    def feed(self, entry: Event | JaxSeen) -> None:
        """Take one entry; those that are no span are ignored."""
        match entry:
            case Traced():
                if entry.ran:
                    self._keep(entry.thread, entry.trace_s, "trace", entry.at_s, entry.trace, entry.function, "")
            case Lowered():
                trace, function = entry.trace, entry.function
                self._keep(entry.thread, entry.lower_s, "lower", entry.at_s, trace, function, entry.module)
            case Compiled():
                trace, function = entry.trace, entry.function
                self._keep(entry.thread, entry.compile_s, "compile", entry.at_s, trace, function, entry.module)
            case Dispatched():
                self._open[entry.dispatch] = entry
            case DispatchEnded():
                begun = self._open.pop(entry.dispatch, None)
                if begun is not None:
                    self._keep(begun.thread, entry.dispatch_s, "dispatch", begun.at_s, begun.trace, begun.function, "")
            case FunctionSeen():
                self._names[entry.function.number] = entry.function.name
            case _:
                pass

    def _keep(
        self, thread: int, seconds: float, kind: str, start: float, trace: int, function: int, module: str
    ) -> None:
        self._number += 1
        kept = (seconds, -self._number, kind, start, trace, function, module)
        lane = self._lanes.get(thread)
        if lane is None:
            lane = self._lanes[thread] = []
            self._threads[thread] = len(self._threads) + 1
        if len(lane) < SPANS_A_LANE:
            heapq.heappush(lane, kept)
        else:
            heapq.heappushpop(lane, kept)
            self._folded[thread] = self._folded.get(thread, 0) + 1

    def lanes(self, name: str, avoidable: set[int]) -> tuple[Lane, ...]:
        """One lane a thread, spans by start.

        Args:
            name: The process, where there are several; else empty.
            avoidable: Numbers of the traces that were avoidable.
        """
        return tuple(
            Lane(
                label=f"{name} thread {self._threads[thread]}".strip(),
                spans=tuple(self._span(kept, avoidable) for kept in sorted(lane, key=lambda kept: (kept[3], -kept[0]))),
                folded=self._folded.get(thread, 0),
            )
            for thread, lane in self._lanes.items()
        )

    def _span(self, kept: _Kept, avoidable: set[int]) -> Span:
        seconds, _, kind, start, trace, function, module = kept
        label = self._names.get(function, module or "?")
        return Span(kind, label, start, seconds, trace in avoidable)  # pyright: ignore[reportArgumentType]
