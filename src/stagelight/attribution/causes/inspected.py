"""``inspected``: the program looked at the function without running it."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="inspected",
    group="cause",
    ledgers=("trace",),
    title="The program looked at the function",
    meaning=(
        "`jax.eval_shape`, `jax.make_jaxpr`, `f.lower` and `f.trace` trace a function to see what it computes. The "
        "trace was asked for, so it is expected."
    ),
    evidence="Which of them it was.",
    fix="None is needed. Where it costs too much, look once and keep the result.",
    example_before="""
for batch in batches:
    shape = jax.eval_shape(model, batch)  # traced at each step
""",
    example_after="""
shape = jax.eval_shape(model, batches[0])
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds when an inspection asked for the trace."""
    return (Cause(slug=PAGE.slug, after=evidence.inspection),) if evidence.inspection else ()


RULE = CauseRule(page=PAGE, in_trace=in_trace)
