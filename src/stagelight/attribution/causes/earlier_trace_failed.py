"""``earlier-trace-failed``: the earlier trace of this key raised, so nothing was cached."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.attribution.site_text import site_text
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="earlier-trace-failed",
    group="cause",
    ledgers=("trace",),
    title="The earlier trace of this key raised an error",
    meaning=(
        "A trace that raises leaves nothing in the cache. A program that catches the error and calls again pays for "
        "the trace up to the error each time."
    ),
    evidence="The error, and the expression that raised it.",
    fix="Mend the error; see the page of the failure that is named beside it.",
    example_before="""
@jax.jit
def f(x):
    return x if x > 0 else -x  # raises while tracing, at each call
""",
    example_after="""
@jax.jit
def f(x):
    return jnp.where(x > 0, x, -x)
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds when the last trace of this key failed."""
    if not evidence.is_retried:
        return ()
    failure = evidence.earlier_failure
    if failure is None:
        return (Cause(slug=PAGE.slug),)
    return (
        Cause(
            slug=PAGE.slug,
            path=failure.expression,
            before=failure.error,
            detail=f"{failure.slug} at {site_text(failure.site)}" if failure.site.file else failure.slug,
        ),
    )


RULE = CauseRule(page=PAGE, in_trace=in_trace)
