"""What one run of a cell traced, compiled and dispatched slowly."""

from msgspec.structs import replace

from stagelight.model.attribution import Advisory, Attributions, FailureFound, FunctionTotals, Miss
from stagelight.model.ledger import SCHEMA, Header
from stagelight.report.account import Account, LedgerAccount
from stagelight.report.accounting import account_from_attributions

type Conclusion = Miss | Advisory | FailureFound


class Cell:
    """Conclusions while a cell runs.

    Args:
        totals: Counts and seconds of each function before the cell.
    """

    def __init__(self, totals: tuple[FunctionTotals, ...]) -> None:
        self._before = {total.function.number: total for total in totals}
        self._conclusions: list[Conclusion] = []

    def take(self, conclusion: Conclusion) -> None:
        """One more conclusion."""
        self._conclusions.append(conclusion)

    def account(self, totals: tuple[FunctionTotals, ...], folder: str, cells: tuple[tuple[str, str], ...]) -> Account:
        """The cell, summed up.

        Args:
            totals: Counts and seconds of each function after the cell.
            folder: Folder that file names are shown relative to.
            cells: Files of cells, each with what it is called.
        """
        found = self._conclusions
        attributions = Attributions(
            misses=tuple(one for one in found if isinstance(one, Miss)),
            advisories=tuple(one for one in found if isinstance(one, Advisory)),
            failures=tuple(one for one in found if isinstance(one, FailureFound)),
            totals=tuple(_since(self._before, total) for total in totals if _differs(self._before, total)),
        )
        header = Header(schema=SCHEMA, stagelight="", jax="JAX", folder=folder)
        ledger = LedgerAccount(path="", header=header, ended=True, cells=cells)
        return replace(account_from_attributions(attributions), ledgers=(ledger,))


def _differs(before: dict[int, FunctionTotals], after: FunctionTotals) -> bool:
    known = before.get(after.function.number)
    return known is None or known != after


def _since(before: dict[int, FunctionTotals], after: FunctionTotals) -> FunctionTotals:
    known = before.get(after.function.number)
    if known is None:
        return after
    return replace(
        after,
        traces=after.traces - known.traces,
        compiles=after.compiles - known.compiles,
        dispatch_misses=after.dispatch_misses - known.dispatch_misses,
        specializations=after.specializations - known.specializations,
        avoidable=after.avoidable - known.avoidable,
        trace_s=after.trace_s - known.trace_s,
        lower_s=after.lower_s - known.lower_s,
        compile_s=after.compile_s - known.compile_s,
        dispatch_s=after.dispatch_s - known.dispatch_s,
        avoidable_s=after.avoidable_s - known.avoidable_s,
    )
