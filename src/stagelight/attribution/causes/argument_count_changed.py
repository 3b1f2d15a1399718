"""``argument-count-changed``: another number of ``*args`` or ``**kwargs``."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="argument-count-changed",
    group="cause",
    ledgers=("trace",),
    title="Another number of arguments was passed",
    meaning=(
        "A function with `*args` or `**kwargs` is traced again for each number of arguments that it is called with."
    ),
    evidence="How many arguments, before and after.",
    fix="Pass one tuple, list or array of fixed length instead.",
    example_before="""
total = jax.jit(lambda *parts: sum(parts))
total(1.0)
total(1.0, 2.0)  # traced again
""",
    example_after="""
total = jax.jit(lambda parts: parts.sum())
total(jnp.array([1.0, 0.0]))
total(jnp.array([1.0, 2.0]))
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds when the number of arguments that no parameter names differs."""
    counts = evidence.change.convention.counts
    if counts is None:
        return ()
    before, after = (f"{n} argument{'' if n == 1 else 's'}" for n in counts)
    return (Cause(slug=PAGE.slug, before=before, after=after),)


RULE = CauseRule(page=PAGE, in_trace=in_trace)
