"""Misses as records, built from what is known of a trace, a compile or a slow dispatch."""

import msgspec

from stagelight.attribution.evidence import TraceEvidence
from stagelight.model.attribution import EXPECTED_CAUSES, Cause, Miss
from stagelight.model.event import Compiled, Dispatched, DispatchEnded, Traced
from stagelight.model.function import Function
from stagelight.model.site import Site


class FoundCauses(msgspec.Struct, frozen=True, kw_only=True):
    """The causes of one miss.

    Attributes:
        causes: All of them.
        nearest: Number of the trace or dispatch that it was held against.
        follows_avoidable: Whether it follows from an avoidable trace, so that its seconds are avoidable too.
    """

    causes: tuple[Cause, ...]
    nearest: int = 0
    follows_avoidable: bool = False


def is_avoidable(causes: tuple[Cause, ...]) -> bool:
    """Whether any cause is not an expected one."""
    return not EXPECTED_CAUSES.issuperset([cause.slug for cause in causes])


def is_rerun_of_cell(traced: Traced, causes: tuple[Cause, ...]) -> bool:
    """Whether a trace is new only because its notebook cell was run again, which is what a notebook is for."""
    return traced.rerun_of_cell and all(cause.slug == "function-recreated" for cause in causes)


def trace_miss(traced: Traced, evidence: TraceEvidence, causes: tuple[Cause, ...], number: int, process: int) -> Miss:
    """The miss of a trace; its seconds are its own, those of nested traces left out."""
    avoidable = is_avoidable(causes) and not is_rerun_of_cell(traced, causes)
    seconds = traced.self_s or traced.trace_s
    return Miss(
        ledger="trace",
        process=process,
        function=evidence.function,
        seconds=seconds,
        causes=causes,
        call=innermost(traced.user, traced.call),
        at_s=traced.at_s,
        thread=traced.thread,
        trace=traced.trace,
        parent=traced.parent,
        nearest=evidence.nearest.trace if evidence.nearest is not None else 0,
        specialization=number,
        under=traced.under,
        avoidable=avoidable,
        avoidable_s=seconds if avoidable else 0.0,
        failed=traced.failed,
    )


def compile_miss(
    compiled: Compiled, found: FoundCauses, function: Function, *, trace: int, lower_s: float, process: int
) -> Miss:
    """The miss of a compile; its seconds are those of lowering and compiling."""
    avoidable = is_avoidable(found.causes)
    seconds = lower_s + compiled.compile_s
    return Miss(
        ledger="compile",
        process=process,
        function=function,
        seconds=seconds,
        causes=found.causes,
        call=innermost(compiled.user, compiled.call),
        at_s=compiled.at_s,
        thread=compiled.thread,
        trace=trace,
        nearest=found.nearest,
        under=compiled.under,
        persistent=compiled.persistent,
        lower_s=lower_s,
        avoidable=avoidable,
        avoidable_s=seconds if avoidable or found.follows_avoidable else 0.0,
    )


def dispatch_miss(
    dispatched: Dispatched, ended: DispatchEnded, found: FoundCauses, function: Function, *, process: int
) -> Miss:
    """The miss of a call that left the fast path with nothing traced or compiled; never avoidable."""
    return Miss(
        ledger="dispatch",
        process=process,
        function=function,
        seconds=ended.dispatch_s,
        causes=found.causes,
        call=innermost(dispatched.user, dispatched.call),
        at_s=dispatched.at_s,
        thread=dispatched.thread,
        nearest=found.nearest,
        under=dispatched.under,
        failed=ended.failed,
    )


def innermost(user: Site, call: Site) -> Site:
    """The user's own line; where there is none, the innermost line outside JAX."""
    return user if user.file else call
