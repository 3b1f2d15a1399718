"""``unknown``: nothing in the record explains it."""

from stagelight.attribution.evidence import CompileEvidence, DispatchEvidence, TraceEvidence
from stagelight.attribution.key import PARTS
from stagelight.attribution.leaf_changes import has_other_remainder
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="unknown",
    group="cause",
    ledgers=("trace", "compile", "dispatch"),
    title="Nothing that was recorded explains it",
    meaning=(
        "Something that JAX compares differs, and Stagelight does not know what it is; it says so rather than "
        "guess. This may be a version of JAX whose keys have a part that is not recorded."
    ),
    evidence="The raw parts that differ, where any does.",
    fix="Please report it, with the ledger (`--redact` keeps values out of it).",
    example_before="""
f(x)
f(x)  # traced again, and nothing is seen to differ
""",
    example_after="""
f(x)
f(x)
""",
)

PART_NAMES = (
    "the function object",
    "how the arguments are passed",
    "the structure of the arguments",
    "the avals",
    "the static arguments",
    "the trace context",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds for parts of an aval that have no name of their own."""
    return tuple(
        Cause(slug=PAGE.slug, path=change.path, before=change.before.extra, after=change.after.extra)
        for change in evidence.change.leaves
        if has_other_remainder(change)
    )


def otherwise_in_trace(evidence: TraceEvidence) -> Cause:
    """The cause of a trace for which no other was found."""
    nearest = evidence.nearest
    if evidence.is_repeated or nearest is None:
        return Cause(slug=PAGE.slug, detail="exactly this key was traced before, and nothing emptied the caches")
    differing = [PART_NAMES[part] for part in PARTS if nearest.digests[part] != evidence.key.digests[part]]
    return Cause(slug=PAGE.slug, detail=f"differs from trace {nearest.trace} in {', '.join(differing) or 'nothing'}")


def otherwise_in_compile(evidence: CompileEvidence) -> Cause:
    """The cause of a compile for which no other was found."""
    return Cause(slug=PAGE.slug, detail="the same avals, placements and options were compiled before")


def otherwise_in_dispatch(evidence: DispatchEvidence) -> Cause:
    """The cause of a slow dispatch for which no other was found."""
    if not evidence.placements:
        return Cause(slug=PAGE.slug, detail="the same avals and placements were dispatched before")
    change = evidence.placements[0]
    return Cause(slug=PAGE.slug, path=change.path, before=change.before, after=change.after, detail=change.kind)


RULE = CauseRule(page=PAGE, in_trace=in_trace)
