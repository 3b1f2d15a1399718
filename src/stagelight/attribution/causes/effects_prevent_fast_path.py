"""``effects-prevent-fast-path``: an ordered effect keeps the function from the fast path."""

from stagelight.attribution.evidence import DispatchEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="effects-prevent-fast-path",
    group="cause",
    ledgers=("dispatch",),
    title="An ordered effect keeps the function from the fast path",
    meaning=(
        "A program with ordered effects (`jax.debug.print(..., ordered=True)`, `io_callback(..., ordered=True)`) "
        "hands a token from call to call. Python does that, at every call."
    ),
    evidence="The effects.",
    fix="Drop `ordered=True` where the order does not matter, or take the print out of the hot function.",
    example_before="""
@jax.jit
def step(x):
    jax.debug.print("x = {}", x, ordered=True)
    return x * 2
""",
    example_after="""
@jax.jit
def step(x):
    jax.debug.print("x = {}", x)
    return x * 2
""",
)


def in_dispatch(evidence: DispatchEvidence) -> tuple[Cause, ...]:
    """Holds when the jaxpr has effects that need Python."""
    return (Cause(slug=PAGE.slug, after=", ".join(evidence.effects)),) if evidence.effects else ()


RULE = CauseRule(page=PAGE, in_dispatch=in_dispatch)
