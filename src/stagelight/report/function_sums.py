"""One function over all ledgers: its groups, its counts, its costliest specializations."""

from stagelight.model.attribution import FunctionTotals, SpecializationTable
from stagelight.model.function import Function
from stagelight.report.account import FunctionAccount, SpecializationSeen
from stagelight.report.grouping import Groups

SPECIALIZATIONS = 200

type FunctionKey = tuple[str, str, str, int]


class GrowingFunction:
    """One function over all ledgers, while they are read."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.groups = Groups()
        self.totals: FunctionTotals | None = None
        self.columns: dict[str, None] = {}
        self.specializations: list[SpecializationSeen] = []
        self.specializations_folded = 0

    def add_table(self, process: int, table: SpecializationTable) -> None:
        """Take this function's specializations from one process."""
        self.columns.update(dict.fromkeys(table.columns))
        self.specializations += [SpecializationSeen(process=process, specialization=row) for row in table.rows]
        self.specializations.sort(key=lambda seen: -seen.specialization.seconds)
        self.specializations_folded += table.folded + max(0, len(self.specializations) - SPECIALIZATIONS)
        del self.specializations[SPECIALIZATIONS:]

    def account(self) -> FunctionAccount:
        """The function as it stands."""
        return FunctionAccount(
            function=self.function,
            totals=self.totals or FunctionTotals(function=self.function),
            groups=self.groups.groups(),
            columns=tuple(self.columns),
            specializations=tuple(self.specializations),
            specializations_folded=self.specializations_folded,
        )


def function_key(function: Function) -> FunctionKey:
    """What makes two processes' functions the same one."""
    return (function.name, function.qualname, function.file, function.line)


def growing_function(functions: dict[FunctionKey, GrowingFunction], function: Function) -> GrowingFunction:
    """The entry of a function, made at its first sight."""
    return functions.setdefault(function_key(function), GrowingFunction(function))


def sum_of_totals(one: FunctionTotals, other: FunctionTotals) -> FunctionTotals:
    """Totals of one function over two processes."""
    calls = one.calls if other.calls is None else other.calls if one.calls is None else one.calls + other.calls
    return FunctionTotals(
        function=one.function,
        traces=one.traces + other.traces,
        compiles=one.compiles + other.compiles,
        calls=calls,
        dispatch_misses=one.dispatch_misses + other.dispatch_misses,
        specializations=one.specializations + other.specializations,
        avoidable=one.avoidable + other.avoidable,
        trace_s=one.trace_s + other.trace_s,
        lower_s=one.lower_s + other.lower_s,
        compile_s=one.compile_s + other.compile_s,
        dispatch_s=one.dispatch_s + other.dispatch_s,
        avoidable_s=one.avoidable_s + other.avoidable_s,
        rerun_of_cell=one.rerun_of_cell or other.rerun_of_cell,
    )
