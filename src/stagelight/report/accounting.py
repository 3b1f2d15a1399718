"""Ledgers summed up into an :class:`Account`, event by event."""

from collections import defaultdict
from collections.abc import Iterable

from msgspec.structs import replace

from stagelight.attribution.attributor import Attributor
from stagelight.model.attribution import (
    Advisory,
    Attributions,
    FailureFound,
    FunctionTotals,
    Miss,
)
from stagelight.model.event import BucketedCall, CellRun, Ended, Event
from stagelight.model.function import Function
from stagelight.model.ledger import Header, JaxSeen
from stagelight.recorder.ledger_file import LedgerFile
from stagelight.report.account import (
    Account,
    AdvisoryGroup,
    FailureGroup,
    FunctionAccount,
    LedgerAccount,
)
from stagelight.report.collector import paused_collector
from stagelight.report.document import Lane
from stagelight.report.function_sums import (
    FunctionKey,
    GrowingFunction,
    function_key,
    growing_function,
    sum_of_totals,
)
from stagelight.report.grouping import Groups, GrowingGroup
from stagelight.report.limits_configuration import configured_limits
from stagelight.report.spans import LANES, Spans

ADVISORIES = 10_000


def account_from_ledgers(
    ledgers: Iterable[LedgerFile], *, timeline: bool = False, specializations: bool = False
) -> Account:
    """Read ledgers, attribute them, and sum them up.

    Args:
        ledgers: The ledgers.
        timeline: Whether to keep spans.
        specializations: Whether to keep the specializations of each function.
    """
    accounting = Accounting(timeline=timeline, specializations=specializations)
    with paused_collector():
        for ledger in ledgers:
            accounting.read(ledger.path, ledger.header, ledger.entries())
    return accounting.account()


def account_from_attributions(attributions: Attributions) -> Account:
    """Sum up what was concluded before."""
    accounting = Accounting()
    accounting.add(attributions)
    return accounting.account()


class Accounting:
    """The sum of what was read so far."""

    def __init__(self, *, timeline: bool = False, specializations: bool = False) -> None:
        self._timeline = timeline
        self._specializations = specializations
        self._functions: dict[FunctionKey, GrowingFunction] = {}
        self._ledgers: list[LedgerAccount] = []
        self._advisories: dict[object, tuple[Advisory, int]] = {}
        self._failures: dict[object, tuple[FailureFound, int, int]] = {}
        self._lanes: list[tuple[LedgerAccount, Spans, set[int]]] = []
        self._bucketed: set[str] = set()

    def read(self, path: str, header: Header, entries: Iterable[Event | JaxSeen]) -> None:
        """Take a whole ledger."""
        process = len(self._ledgers)
        attributor = Attributor(process=process, limits=configured_limits())
        ledger = _GrowingLedger(path, header)
        spans = Spans() if self._timeline else None
        misses = _ProcessMisses(self._functions)
        for entry in entries:
            ledger.feed(entry)
            if spans is not None:
                spans.feed(entry)
            for item in attributor.feed(entry):
                self._add(item, misses)
        for item in attributor.finish():
            self._add(item, misses)
        for totals in attributor.totals():
            function = self._add_totals(totals)
            if self._specializations:
                function.add_table(process, attributor.specializations(totals.function.number))
        self._ledgers.append(ledger.account())
        self._bucketed |= ledger.bucketed
        if spans is not None:
            self._lanes.append((self._ledgers[-1], spans, misses.avoidable))

    def add(self, attributions: Attributions) -> None:
        """Take what was concluded before, of one process or several."""
        processes: defaultdict[int, _ProcessMisses] = defaultdict(lambda: _ProcessMisses(self._functions))
        for miss in attributions.misses:
            processes[miss.process].add(miss)
        for note in (*attributions.advisories, *attributions.failures):
            self._add_note(note)
        for totals in attributions.totals:
            self._add_totals(totals)
        for table in attributions.tables:
            growing_function(self._functions, table.function).add_table(0, table)

    def _add(self, item: Miss | Advisory | FailureFound, misses: "_ProcessMisses") -> None:
        if isinstance(item, Miss):
            misses.add(item)
        else:
            self._add_note(item)

    def _add_note(self, item: Advisory | FailureFound) -> None:
        match item:
            case Advisory():
                key = (item.slug, function_key(item.function), item.site, item.path)
                known, times = self._advisories.get(key, (item, 0))
                if times or len(self._advisories) < ADVISORIES:
                    self._advisories[key] = (known, times + 1)
            case FailureFound():
                key = (item.slug, item.error, item.site, item.column, item.expression)
                known, times, handled = self._failures.get(key, (item, 0, 0))
                if times or len(self._failures) < ADVISORIES:
                    shown = known if item.handled else item
                    self._failures[key] = (shown, times + 1, handled + item.handled)

    def _add_totals(self, totals: FunctionTotals) -> GrowingFunction:
        function = growing_function(self._functions, totals.function)
        function.totals = totals if function.totals is None else sum_of_totals(function.totals, totals)
        return function

    def account(self) -> Account:
        """All of it, as it stands."""
        functions = [_told_as_bucketed(function.account(), self._bucketed) for function in self._functions.values()]
        functions.sort(key=lambda f: (not f.function.own, -f.avoidable_s, -f.seconds))
        lanes = self._all_lanes()
        failures = [FailureGroup(failure=f, times=n, handled=h) for f, n, h in self._failures.values()]
        return Account(
            ledgers=tuple(self._ledgers),
            functions=tuple(functions),
            advisories=tuple(AdvisoryGroup(advisory=a, times=n) for a, n in self._advisories.values()),
            failures=tuple(sorted(failures, key=lambda group: group.times == group.handled)),
            lanes=lanes[:LANES],
            lanes_folded=len(lanes[LANES:]),
        )

    def _all_lanes(self) -> tuple[Lane, ...]:
        several = len(self._lanes) > 1
        lanes: list[Lane] = []
        for ledger, spans, avoidable in self._lanes:
            name = f"{ledger.header.host} process {ledger.header.process} ·" if several else ""
            lanes += spans.lanes(name, avoidable)
        return tuple(lanes)


class _ProcessMisses:
    """Puts the misses of one process into the groups of their functions."""

    def __init__(self, functions: dict[FunctionKey, GrowingFunction]) -> None:
        self._functions = functions
        self._by_number: dict[int | str, Groups] = {}
        self._group_of_trace: dict[int, GrowingGroup] = {}
        self.avoidable: set[int] = set()

    def add(self, miss: Miss) -> None:
        """Take one miss; a compile that only follows from an avoidable trace counts with that trace."""
        if miss.ledger == "compile" and not miss.avoidable:
            group = self._group_of_trace.get(miss.trace) if miss.avoidable_s else None
            if group is not None:
                group.add_compile(miss)
                return
        group = self._groups(miss.function).add(miss)
        if miss.avoidable and miss.trace:
            self.avoidable.add(miss.trace)
            if miss.ledger == "trace":
                self._group_of_trace[miss.trace] = group

    def _groups(self, function: Function) -> Groups:
        key = function.number or function.name  # a module that belongs to no function is told apart by its name
        groups = self._by_number.get(key)
        if groups is None:
            groups = growing_function(self._functions, function).groups
            self._by_number[key] = groups
        return groups


def _told_as_bucketed(function: FunctionAccount, names: set[str]) -> FunctionAccount:
    """Whether ``stagelight.bucketed`` wraps a function already changes what there is to do about its sizes."""
    if function.function.name not in names:
        return function
    groups = tuple(replace(group, bucketed=True) for group in function.groups)
    return replace(function, groups=groups)


_OF_LEDGER = frozenset({JaxSeen, Ended, CellRun, BucketedCall})


class _GrowingLedger:
    """One ledger's own facts, while it is read."""

    def __init__(self, path: str, header: Header) -> None:
        self._path = path
        self._header = header
        self._run_s = 0.0
        self._jax: JaxSeen | None = None
        self._ended: Ended | None = None
        self._cells: dict[str, str] = {}
        self.bucketed: set[str] = set()

    def feed(self, entry: Event | JaxSeen) -> None:
        """Take one entry."""
        at_s: float = getattr(entry, "at_s", 0.0)
        if at_s > self._run_s:
            self._run_s = at_s
        if type(entry) in _OF_LEDGER:
            self._note(entry)

    def _note(self, entry: Event | JaxSeen) -> None:
        match entry:
            case JaxSeen():
                self._jax = entry
            case Ended():
                self._ended = entry
            case BucketedCall():
                self.bucketed.add(entry.name)
            case CellRun():
                self._cells[entry.file] = f"cell [{entry.execution}]"
            case _:
                pass

    def account(self) -> LedgerAccount:
        """The ledger as it stands."""
        ended = self._ended or Ended(at_s=self._run_s)
        return LedgerAccount(
            path=self._path,
            header=_header_with_jax(self._header, self._jax),
            run_s=self._run_s,
            inside_s=ended.inside_s,
            ended=self._ended is not None,
            problems=ended.problems,
            exit_code=ended.exit_code,
            aot_calls=ended.aot_calls,
            jit_disabled=ended.jit_disabled,
            cells=tuple(self._cells.items()),
        )


def _header_with_jax(header: Header, jax: JaxSeen | None) -> Header:
    if jax is None:
        return header
    capabilities = dict(header.capabilities) | dict(jax.capabilities)
    return replace(header, jax=jax.jax, jaxlib=jax.jaxlib, capabilities=tuple(capabilities.items()))
