"""What every view shows: all ledgers of one reading, summed up, in a size that does not grow with their length."""

import posixpath

import msgspec

from stagelight.model.attribution import Advisory, Cause, FailureFound, FunctionTotals, LedgerName, Specialization
from stagelight.model.function import Function
from stagelight.model.ledger import Header
from stagelight.model.site import Site
from stagelight.report.document import Lane
from stagelight.report.file_names import FileNames


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """One miss of a group, with its evidence."""

    causes: tuple[Cause, ...]
    seconds: float
    call: Site
    under: tuple[str, ...] = ()


class CauseGroup(msgspec.Struct, frozen=True, kw_only=True):
    """All misses of one function in one ledger with the same causes at the same paths.

    Attributes:
        ledger: Trace, compile or dispatch.
        causes: The first miss's causes.
        misses: How many there were.
        seconds: What they cost, the compiles that followed from them included.
        compiles: How many compiles followed from them.
        avoidable: Whether an avoidable cause is among them.
        failed: How many of them raised.
        examples: The first misses, at most a handful, each with another before or after.
        examples_folded: How many misses have a before or after that is not among the examples.
        sites: Call sites with counts, most frequent first.
        sites_folded: How many calls came from other sites.
        persistent: What the persistent cache did for the compiles, with counts; empty where it was off throughout.
        bucketed: Whether the function is called through ``stagelight.bucketed``.
    """

    ledger: LedgerName
    causes: tuple[Cause, ...]
    misses: int
    seconds: float
    compiles: int = 0
    avoidable: bool = False
    failed: int = 0
    examples: tuple[Example, ...] = ()
    examples_folded: int = 0
    sites: tuple[tuple[Site, int], ...] = ()
    sites_folded: int = 0
    persistent: tuple[tuple[str, int], ...] = ()
    bucketed: bool = False


class SpecializationSeen(msgspec.Struct, frozen=True, kw_only=True):
    """A specialization, and which process had it."""

    process: int
    specialization: Specialization


class FunctionAccount(msgspec.Struct, frozen=True, kw_only=True):
    """One function over all ledgers.

    Attributes:
        function: The function, as the first ledger that holds it names it.
        totals: Counts and seconds.
        groups: Why it missed, avoidable and costly groups first.
        columns: Names of the key parts that ever differed.
        specializations: Its specializations, costliest first, the rest left out where there are too many.
        specializations_folded: How many are not kept.
    """

    function: Function
    totals: FunctionTotals
    groups: tuple[CauseGroup, ...] = ()
    columns: tuple[str, ...] = ()
    specializations: tuple[SpecializationSeen, ...] = ()
    specializations_folded: int = 0

    @property
    def avoidable_s(self) -> float:
        """Seconds of avoidable misses, and of the compiles that followed from them."""
        return self.totals.avoidable_s

    @property
    def seconds(self) -> float:
        """Tracing, lowering, compiling and slow dispatches together."""
        totals = self.totals
        return totals.trace_s + totals.lower_s + totals.compile_s + totals.dispatch_s


class AdvisoryGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The same advisory about the same thing, and how often."""

    advisory: Advisory
    times: int = 1


class FailureGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The same failure at the same expression, and how often."""

    failure: FailureFound
    times: int = 1
    handled: int = 0


class LedgerAccount(msgspec.Struct, frozen=True, kw_only=True):
    """One ledger: who wrote it, how it ended.

    Attributes:
        path: The file, empty for a ledger in memory.
        header: Its header, with JAX's versions and capabilities filled in from the later entry.
        run_s: Seconds from the start to the last event.
        inside_s: Time spent inside Stagelight.
        ended: Whether the session ended; a killed process's did not.
        problems: Stagelight's own failures.
        exit_code: Of the program, where known.
        aot_calls: Whether executables were made ahead of time, whose calls are not seen.
        jit_disabled: Whether ``jax_disable_jit`` was on.
        cells: Files of the notebook cells that ran, each with what it is called.
    """

    path: str
    header: Header
    run_s: float = 0.0
    inside_s: float = 0.0
    ended: bool = False
    problems: tuple[str, ...] = ()
    exit_code: int | None = None
    aot_calls: bool = False
    jit_disabled: bool = False
    cells: tuple[tuple[str, str], ...] = ()


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """All of it.

    Attributes:
        ledgers: The ledgers read.
        functions: The functions, the user's own first, by avoidable cost.
        advisories: Advisories, each once.
        failures: Failures, those that ended the program first.
        lanes: The timeline, where it was asked for.
        lanes_folded: How many more threads there were.
    """

    ledgers: tuple[LedgerAccount, ...]
    functions: tuple[FunctionAccount, ...]
    advisories: tuple[AdvisoryGroup, ...] = ()
    failures: tuple[FailureGroup, ...] = ()
    lanes: tuple[Lane, ...] = ()
    lanes_folded: int = 0

    @property
    def avoidable_s(self) -> float:
        """Seconds of avoidable misses, the compiles that followed from them included."""
        return sum(f.avoidable_s for f in self.functions)

    @property
    def total_s(self) -> float:
        """Seconds of tracing, lowering and compiling; slow dispatches are no staging, and are left out."""
        return sum(f.totals.trace_s + f.totals.lower_s + f.totals.compile_s for f in self.functions)

    @property
    def run_s(self) -> float:
        """Seconds of the longest run."""
        return max((ledger.run_s for ledger in self.ledgers), default=0.0)

    @property
    def inside_s(self) -> float:
        """Seconds spent inside Stagelight, over all processes."""
        return sum(ledger.inside_s for ledger in self.ledgers)

    @property
    def names(self) -> FileNames:
        """Names of files relative to where the programs ran, and to where they are; cells by their number."""
        headers = [ledger.header for ledger in self.ledgers]
        programs = [posixpath.dirname(header.program[0]) for header in headers if header.program]
        folders = dict.fromkeys(folder for folder in (*(header.folder for header in headers), *programs) if folder)
        return FileNames(tuple(folders), tuple(cell for ledger in self.ledgers for cell in ledger.cells))
