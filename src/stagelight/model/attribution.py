"""What was concluded from a ledger: every miss with its causes, advisories, failures, totals by function."""

from typing import Literal

import msgspec

from stagelight.model.event import PersistentCacheUse
from stagelight.model.function import Function
from stagelight.model.site import NOWHERE, Site

type LedgerName = Literal["trace", "compile", "dispatch"]

EXPECTED_CAUSES = frozenset(
    {"first-trace", "first-compile", "inspected", "under-transformation", "first-call-after-warm-up"}
)


class Cause(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One reason of one miss.

    Attributes:
        slug: The kind, from the public catalogue.
        path: Argument, setting or captured name as the user wrote it; empty where there is none.
        before: What it was in the nearest earlier key.
        after: What it is now.
        detail: One more sentence of evidence, where the three do not say all.
    """

    slug: str
    path: str = ""
    before: str = ""
    after: str = ""
    detail: str = ""


class Miss(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One trace, compile or slow dispatch, with why it happened.

    Attributes:
        ledger: Which of the three.
        process: Index of the ledger file that it is from.
        function: The function.
        seconds: What it cost: self time of a trace, lowering plus compile, or the slow dispatch.
        causes: All that hold, the telling one first; never empty.
        call: The innermost frame of the user's own code that caused it.
        at_s: When it began.
        thread: Number of the thread.
        trace: Number of the trace, 0 for other misses without one.
        parent: The trace that this one is nested in.
        nearest: Number of the trace (or dispatch) that holds the nearest earlier key; 0 where there is none.
        specialization: Number of the specialization within the function, from 1.
        under: What surrounds the call.
        persistent: What the persistent cache did, for compiles.
        lower_s: Of ``seconds``, the lowering.
        avoidable: Whether any cause is not an expected one (never for dispatch misses, nor where a function was only
            made anew because its notebook cell was run again).
        avoidable_s: Of ``seconds``, what an avoidable cause cost: all of an avoidable miss, and all of a compile that
            follows from an avoidable trace, although its own cause is ``first-compile``.
        failed: Whether the trace or compile raised.
    """

    ledger: LedgerName
    function: Function
    seconds: float
    causes: tuple[Cause, ...]
    process: int = 0
    call: Site = NOWHERE
    at_s: float = 0.0
    thread: int = 0
    trace: int = 0
    parent: int = 0
    nearest: int = 0
    specialization: int = 0
    under: tuple[str, ...] = ()
    persistent: PersistentCacheUse | None = None
    lower_s: float = 0.0
    avoidable: bool = False
    avoidable_s: float = 0.0
    failed: bool = False


class Advisory(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Nothing missed, still worth saying."""

    slug: str
    function: Function
    site: Site
    path: str = ""
    before: str = ""
    after: str = ""
    detail: str = ""


class FailureFound(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A trace, compile or call that raised."""

    slug: str
    error: str
    function: Function
    site: Site
    column: int = 0
    expression: str = ""
    arguments: tuple[str, ...] = ()
    message: str = ""
    handled: bool = True
    call: Site = NOWHERE


class Specialization(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One function under one key, as a table row.

    Attributes:
        number: Number within the function, from 1.
        trace: The trace that made it.
        parts: Text of each key part by its name (``x``, ``static mode``, ``jax_enable_x64``), only parts that ever
            differed within the function.
        changed: Names of the parts that differ from the nearest earlier specialization.
        calls: Calls that used it, where counted.
        seconds: Trace, lower and compile time.
        causes: Slugs of the miss that made it.
        call: From where.
    """

    number: int
    trace: int
    parts: tuple[tuple[str, str], ...] = ()
    changed: tuple[str, ...] = ()
    calls: int | None = None
    seconds: float = 0.0
    causes: tuple[str, ...] = ()
    call: Site = NOWHERE


class SpecializationTable(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The specializations of one function, costliest first.

    Attributes:
        function: The function.
        columns: Names of the key parts that ever differed, in the order in which they first did.
        rows: The costliest ones.
        folded: How many more there are.
        folded_s: What those cost together.
    """

    function: Function
    columns: tuple[str, ...] = ()
    rows: tuple[Specialization, ...] = ()
    folded: int = 0
    folded_s: float = 0.0


class FunctionTotals(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Counts and seconds of one function over the whole ledger."""

    function: Function
    traces: int = 0
    compiles: int = 0
    calls: int | None = None
    dispatch_misses: int = 0
    specializations: int = 0
    avoidable: int = 0
    trace_s: float = 0.0
    lower_s: float = 0.0
    compile_s: float = 0.0
    dispatch_s: float = 0.0
    avoidable_s: float = 0.0
    rerun_of_cell: bool = False


class Attributions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything concluded from one or several ledgers.

    Attributes:
        misses: Every trace, compile and dispatch miss, in the order of the ledger.
        advisories: What missed nothing and is still worth saying.
        failures: What raised.
        totals: One for each function, in the order in which they were first seen.
        tables: The specializations of each function that has more than one.
    """

    misses: tuple[Miss, ...] = ()
    advisories: tuple[Advisory, ...] = ()
    failures: tuple[FailureFound, ...] = ()
    totals: tuple[FunctionTotals, ...] = ()
    tables: tuple[SpecializationTable, ...] = ()
