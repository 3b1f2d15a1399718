"""Everything that is summed up for each function while the ledger is read."""

from collections.abc import Callable, Iterator

from stagelight.attribution.definitions import Definitions
from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.function_summary import FunctionSummary
from stagelight.attribution.growth import GrowingAxes
from stagelight.attribution.key_parts import STATIC_PREFIX
from stagelight.attribution.limits import Limits
from stagelight.attribution.table_rows import Row, TableRows
from stagelight.attribution.tally import Tally
from stagelight.model.attribution import FunctionTotals, Miss, SpecializationTable
from stagelight.model.aval import Aval, text_from_aval
from stagelight.model.event import CallsCounted, Traced
from stagelight.model.function import Function

MOST_ARGUMENTS = 256
MOST_OBJECTS = 4096


class Account:
    """What is summed up for one function."""

    def __init__(self, tally: Tally, limits: Limits) -> None:
        self.tally = tally
        self.rows = TableRows(limits.rows)
        self.growing = GrowingAxes()
        self.objects: set[int] = set()
        self.by_argument: dict[Aval, int] = {}


class PerFunction:
    """Everything that is summed up for each function."""

    def __init__(self, definitions: Definitions, limits: Limits) -> None:
        self._definitions = definitions
        self._limits = limits
        self._accounts: dict[tuple[int, str], Account] = {}

    def _account(self, function: Function) -> Account:
        place = (function.number, "" if function.number else function.name)
        account = self._accounts.get(place)
        if account is None:
            account = self._accounts[place] = Account(Tally(function), self._limits)
        return account

    def add_trace(self, miss: Miss, row: Row | None, evidence: TraceEvidence, traced: Traced) -> None:
        """A function was traced; ``row`` is its specialization where that is new."""
        account = self._account(miss.function)
        account.tally.add(miss)
        account.tally.rerun_of_cell |= traced.rerun_of_cell
        account.growing.add(evidence.change.leaves)
        if len(account.objects) < MOST_OBJECTS and (evidence.nearest is None or evidence.change.other_object):
            account.objects.add(evidence.key.object)
        if row is None:
            account.rows.add_seconds(traced.trace, miss.seconds)
            return
        account.tally.specializations += 1
        account.rows.add(row)
        if not evidence.key.avals:
            return
        argument = evidence.key.avals[0]
        if argument in account.by_argument or len(account.by_argument) < MOST_ARGUMENTS:
            account.by_argument[argument] = account.by_argument.get(argument, 0) + 1

    def add_compile(self, miss: Miss) -> None:
        """Something of a function was compiled."""
        account = self._account(miss.function)
        account.tally.add(miss)
        if miss.trace:
            account.rows.add_seconds(miss.trace, miss.seconds)

    def add_lowering(self, function: Function, lower_s: float) -> None:
        """A module of a function was lowered, whether or not it is compiled later."""
        self._account(function).tally.lower_s += lower_s

    def add_dispatch(self, miss: Miss) -> None:
        """A call of a function left the fast path."""
        self._account(miss.function).tally.add(miss)

    def count(self, entry: CallsCounted) -> None:
        """Calls of a function were counted."""
        self._account(self._definitions.function(entry.function)).tally.count(entry)

    def totals(self) -> tuple[FunctionTotals, ...]:
        """Counts and seconds of each function."""
        return tuple(account.tally.totals() for account in self._accounts.values())

    def table(self, function: int) -> SpecializationTable:
        """The specializations of one function."""
        account = self._accounts.get((function, ""))
        if account is None:
            return SpecializationTable(function=self._definitions.function(function))
        return account.rows.table(account.tally.function, self._definitions)

    def summaries(self, varied: Callable[[int], list[tuple[str, int]]]) -> Iterator[FunctionSummary]:
        """All that is known of each function.

        Args:
            varied: For the number of a function, its key parts that had more than one value, with how many.
        """
        for account in self._accounts.values():
            tally = account.tally
            yield FunctionSummary(
                function=tally.function,
                specializations=tally.specializations,
                objects=len(account.objects),
                varied=tuple(
                    (name.removeprefix(STATIC_PREFIX), count) for name, count in varied(tally.function.number)
                ),
                growing=account.growing.longest(),
                calls=tally.calls,
                calls_by_argument=tuple(tally.calls_by_argument.items()),
                specializations_by_argument=tuple((text_from_aval(a), n) for a, n in account.by_argument.items()),
            )
