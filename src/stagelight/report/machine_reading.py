"""Ledgers read, attributed and written as the machine interface, in one pass."""

from collections.abc import Callable, Sequence

from stagelight.attribution.attributor import Attributor
from stagelight.model.attribution import Advisory, FailureFound, FunctionTotals, Miss
from stagelight.recorder.ledger_file import LedgerFile
from stagelight.report.collector import paused_collector
from stagelight.report.function_sums import FunctionKey, function_key, sum_of_totals
from stagelight.report.limits_configuration import configured_limits
from stagelight.report.machine_object import MachineObject
from stagelight.report.selection import Selection


def write_machine_object(ledgers: Sequence[LedgerFile], selection: Selection, write: Callable[[bytes], object]) -> None:
    """Write all that was asked for as one JSON object.

    Args:
        ledgers: The ledgers, already opened.
        selection: Names filter; nothing is folded.
        write: Takes each piece of the text.
    """
    reading = _Reading(MachineObject(write), selection)
    with paused_collector():
        for process, ledger in enumerate(ledgers):
            reading.read(process, ledger)
    reading.end()


class _Reading:
    def __init__(self, target: MachineObject, selection: Selection) -> None:
        self._target = target
        self._selection = selection
        self._advisories: list[Advisory] = []
        self._failures: list[FailureFound] = []
        self._totals: dict[FunctionKey, FunctionTotals] = {}

    def read(self, process: int, ledger: LedgerFile) -> None:
        self._target.begin_ledger(ledger.header.folder)
        attributor = Attributor(process=process, limits=configured_limits())
        for entry in ledger.entries():
            for item in attributor.feed(entry):
                self._take(item)
        for item in attributor.finish():
            self._take(item)
        for totals in attributor.totals():
            key = function_key(totals.function)
            known = self._totals.get(key)
            self._totals[key] = totals if known is None else sum_of_totals(known, totals)

    def _take(self, item: Miss | Advisory | FailureFound) -> None:
        selection = self._selection
        match item:
            case Miss():
                if selection.takes_miss(item):
                    self._target.miss(item)
            case Advisory():
                if selection.takes_note(item.function, item.slug):
                    self._advisories.append(item)
            case FailureFound():
                if selection.takes_note(item.function, item.slug):
                    self._failures.append(item)

    def end(self) -> None:
        totals = [t for t in self._totals.values() if self._selection.takes_named(t.function)]
        totals.sort(key=lambda t: -(t.trace_s + t.lower_s + t.compile_s + t.dispatch_s))
        self._target.end(totals, self._advisories, self._failures)
