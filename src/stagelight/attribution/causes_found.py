"""Every cause of one miss: each rule is asked in turn, and no miss stays without an answer."""

import msgspec

from stagelight.attribution.causes.unknown import otherwise_in_compile, otherwise_in_dispatch, otherwise_in_trace
from stagelight.attribution.evidence import CompileEvidence, DispatchEvidence, TraceEvidence
from stagelight.attribution.registry import CAUSES
from stagelight.model.attribution import Cause

MOST_PATHS = 8

IN_TRACE = tuple(rule.in_trace for rule in CAUSES if rule.in_trace is not None)
IN_COMPILE = tuple(rule.in_compile for rule in CAUSES if rule.in_compile is not None)
IN_DISPATCH = tuple(rule.in_dispatch for rule in CAUSES if rule.in_dispatch is not None)


def trace_causes(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Every cause of a trace, the telling one first; never empty."""
    found = [cause for find in IN_TRACE for cause in find(evidence)]
    return shortened(found) if found else (otherwise_in_trace(evidence),)


def compile_causes(evidence: CompileEvidence) -> tuple[Cause, ...]:
    """Every cause of a compile; never empty. One that follows from a trace has no other."""
    found = [cause for find in IN_COMPILE for cause in find(evidence)]
    return shortened(found) if found else (otherwise_in_compile(evidence),)


def dispatch_causes(evidence: DispatchEvidence) -> tuple[Cause, ...]:
    """Every cause of a slow dispatch; never empty."""
    found = [cause for find in IN_DISPATCH for cause in find(evidence)]
    return shortened(found) if found else (otherwise_in_dispatch(evidence),)


def shortened(causes: list[Cause]) -> tuple[Cause, ...]:
    """At most ``MOST_PATHS`` causes of one slug; the last of them says how many more there are."""
    if len(causes) <= MOST_PATHS:
        return tuple(causes)
    counts: dict[str, int] = {}
    kept: list[Cause] = []
    last: dict[str, int] = {}
    for cause in causes:
        counts[cause.slug] = counts.get(cause.slug, 0) + 1
        if counts[cause.slug] <= MOST_PATHS:
            last[cause.slug] = len(kept)
            kept.append(cause)
    for slug, count in counts.items():
        if count > MOST_PATHS:
            cause = kept[last[slug]]
            more = f"and {count - MOST_PATHS} more"
            detail = f"{cause.detail}, {more}" if cause.detail else more
            kept[last[slug]] = msgspec.structs.replace(cause, detail=detail)
    return tuple(kept)
