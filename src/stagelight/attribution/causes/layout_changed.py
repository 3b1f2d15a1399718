"""``layout-changed``: an argument has another memory layout."""

from stagelight.attribution.evidence import CompileEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="layout-changed",
    group="cause",
    ledgers=("compile",),
    title="An argument has another memory layout",
    meaning=(
        "An array may be stored with another order of its axes or other tiles (`jax.experimental.layout`). An "
        "executable is made for the layouts of its inputs."
    ),
    evidence="The leaf's path, and its layout before and after.",
    fix="Ask for one layout where the array is made, and keep it.",
    example_before="""
step(x)
step(jax.device_put(x, Format(Layout((1, 0)), x.sharding)))  # compiled again
""",
    example_after="""
x = jax.device_put(x, Format(Layout((1, 0)), x.sharding))
step(x)
step(x)
""",
)


def in_compile(evidence: CompileEvidence) -> tuple[Cause, ...]:
    """Holds for each leaf whose layout differs."""
    return tuple(
        Cause(slug=PAGE.slug, path=change.path, before=change.before, after=change.after)
        for change in evidence.placements
        if change.kind == "layout"
    )


RULE = CauseRule(page=PAGE, in_compile=in_compile)
