"""``call-convention-changed``: the same arguments passed another way."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="call-convention-changed",
    group="cause",
    ledgers=("trace",),
    title="The same arguments were passed another way",
    meaning=(
        "JAX does not bind arguments to parameters before it looks into its cache: an argument by position and the "
        "same argument by keyword are two keys, and so are a default that is left out and the same value written "
        "out."
    ),
    evidence="The argument's name, and how it was passed before and after.",
    fix="Call the function in one way everywhere; keyword-only parameters (`*,`) make sure of it.",
    example_before="""
step(params, batch, 0.1)
step(params, batch, rate=0.1)  # traced again
""",
    example_after="""
step(params, batch, rate=0.1)
step(params, batch, rate=0.1)
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds for each argument that is passed another way."""
    return tuple(
        Cause(slug=PAGE.slug, path=change.path, before=change.before, after=change.after)
        for change in evidence.change.convention.passing
    )


RULE = CauseRule(page=PAGE, in_trace=in_trace)
