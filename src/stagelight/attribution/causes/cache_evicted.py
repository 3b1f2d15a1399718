"""``cache-evicted``: the earlier entry of this key is gone."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="cache-evicted",
    group="cause",
    ledgers=("trace",),
    title="The earlier entry is gone from the cache",
    meaning=(
        "JAX's tracing caches hold a limited number of entries and drop the least recently used one; and an entry "
        "lives only as long as its function. Exactly this key was traced before, and its entry was dropped."
    ),
    evidence="Which of the two it was.",
    fix="Keep a reference to the function; keep fewer specializations, so that the cache need not drop any.",
    example_before="""
for n in range(100_000):
    f(jnp.ones(n % 5000))  # more shapes than the cache holds
""",
    example_after="""
for n in range(100_000):
    f(padded(jnp.ones(n % 5000)))  # a few sizes
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds when exactly this key was traced before and it can be proved that its entry went."""
    return (Cause(slug=PAGE.slug, detail=evidence.eviction),) if evidence.eviction else ()


RULE = CauseRule(page=PAGE, in_trace=in_trace)
