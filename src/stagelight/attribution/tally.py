"""Counts and seconds of one function, summed while the ledger is read."""

from stagelight.model.attribution import FunctionTotals, Miss
from stagelight.model.event import CallsCounted
from stagelight.model.function import Function

MOST_CALL_COUNTS = 256


class Tally:
    """Counts and seconds of one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.counts = {"trace": 0, "compile": 0, "dispatch": 0}
        self.specializations = 0
        self.avoidable = 0
        self.trace_s = 0.0
        self.lower_s = 0.0
        self.compile_s = 0.0
        self.dispatch_s = 0.0
        self.avoidable_s = 0.0
        self.calls: int | None = None
        self.calls_by_argument: dict[str, int] = {}
        self.rerun_of_cell = False

    def add(self, miss: Miss) -> None:
        """Take in a miss; lowerings are summed up by themselves, since not each is followed by a compile."""
        self.counts[miss.ledger] += 1
        self.avoidable += miss.avoidable
        self.avoidable_s += miss.avoidable_s
        if miss.ledger == "trace":
            self.trace_s += miss.seconds
        elif miss.ledger == "compile":
            self.compile_s += miss.seconds - miss.lower_s
        else:
            self.dispatch_s += miss.seconds

    def count(self, entry: CallsCounted) -> None:
        """Take in counted calls."""
        self.calls = (self.calls or 0) + entry.calls
        if not entry.first_argument:
            return
        known = self.calls_by_argument
        if entry.first_argument in known or len(known) < MOST_CALL_COUNTS:
            known[entry.first_argument] = known.get(entry.first_argument, 0) + entry.calls

    def totals(self) -> FunctionTotals:
        """The sums so far."""
        return FunctionTotals(
            function=self.function,
            traces=self.counts["trace"],
            compiles=self.counts["compile"],
            calls=self.calls,
            dispatch_misses=self.counts["dispatch"],
            specializations=self.specializations,
            avoidable=self.avoidable,
            trace_s=self.trace_s,
            lower_s=self.lower_s,
            compile_s=self.compile_s,
            dispatch_s=self.dispatch_s,
            avoidable_s=self.avoidable_s,
            rerun_of_cell=self.rerun_of_cell,
        )
