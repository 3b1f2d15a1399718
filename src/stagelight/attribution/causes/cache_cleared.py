"""``cache-cleared``: the program emptied JAX's caches."""

from stagelight.attribution.evidence import Clearing, CompileEvidence, TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.attribution.site_text import site_text
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="cache-cleared",
    group="cause",
    ledgers=("trace", "compile"),
    title="The caches were emptied in between",
    meaning=(
        "`jax.clear_caches()` empties every cache of traced and compiled programs, `f.clear_cache()` those of one "
        "function. Exactly this key was there before, and was traced or compiled again."
    ),
    evidence="Which of the two ran, and from where.",
    fix=(
        "Don't clear caches in a program or in each test. If memory is the reason, keep fewer specializations; see "
        "`many-specializations`."
    ),
    example_before="""
for fold in folds:
    jax.clear_caches()
    train(fold)  # traced and compiled again for each fold
""",
    example_after="""
for fold in folds:
    train(fold)
""",
)


def causes(clearing: Clearing | None) -> tuple[Cause, ...]:
    """The cause for a clearing, if there was one."""
    if clearing is None:
        return ()
    place = site_text(clearing.call)
    return (Cause(slug=PAGE.slug, path=clearing.what, after=place, detail=f"ran at {place}" if place else ""),)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds when exactly this key was traced before and the caches were emptied since."""
    return causes(evidence.clearing)


def in_compile(evidence: CompileEvidence) -> tuple[Cause, ...]:
    """Holds when the same call was compiled before and the caches were emptied since."""
    return causes(evidence.clearing)


RULE = CauseRule(page=PAGE, in_trace=in_trace, in_compile=in_compile)
