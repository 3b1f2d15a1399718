"""``fast-path-lost``: an earlier error took the fast path from this signature."""

from stagelight.attribution.evidence import DispatchEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="fast-path-lost",
    group="cause",
    ledgers=("dispatch",),
    title="An earlier error took the fast path from this signature",
    meaning=(
        "When the first call with a signature raises after tracing began, JAX marks that signature: its later calls "
        "go through Python for the life of the process, also when they succeed."
    ),
    evidence="No path, before or after.",
    fix="Mend the error that the first call raised; in a live process, `f.clear_cache()` gives the fast path back.",
    example_before="""
try:
    step(x)  # raises the first time
except ValueError:
    step(x)  # slow from here on
""",
    example_after="""
check(x)
step(x)
""",
)


def in_dispatch(evidence: DispatchEvidence) -> tuple[Cause, ...]:
    """Holds when the recorder saw that the signature has lost its fast path."""
    return (Cause(slug=PAGE.slug),) if evidence.lost_fast_path else ()


RULE = CauseRule(page=PAGE, in_dispatch=in_dispatch)
