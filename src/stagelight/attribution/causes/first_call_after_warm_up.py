"""``first-call-after-warm-up``: the first call of what was compiled ahead of time."""

from stagelight.attribution.evidence import DispatchEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="first-call-after-warm-up",
    group="cause",
    ledgers=("dispatch",),
    title="The first call of something that was compiled ahead of time",
    meaning=(
        "`f.lower(...).compile()` fills the caches of traces and executables, but the fast path is filled by a "
        "call. So the first call goes through Python once, and nothing is traced or compiled: the warm-up worked."
    ),
    evidence="No path, before or after.",
    fix="None is needed. To spare even that, call the function once during warm-up with dummy arguments.",
    example_before="""
f.lower(x).compile()
f(x)  # through Python once
""",
    example_after="""
f.lower(x).compile()
f(jnp.zeros_like(x))  # during warm-up
f(x)
""",
)


def in_dispatch(evidence: DispatchEvidence) -> tuple[Cause, ...]:
    """Holds for the first call of what was compiled ahead of time."""
    return (Cause(slug=PAGE.slug),) if evidence.was_warmed_up else ()


RULE = CauseRule(page=PAGE, in_dispatch=in_dispatch)
