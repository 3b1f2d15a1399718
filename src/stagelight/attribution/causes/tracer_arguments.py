"""``tracer-arguments``: called under an eager transformation."""

from stagelight.attribution.evidence import DispatchEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="tracer-arguments",
    group="cause",
    ledgers=("dispatch",),
    title="Called with tracers, under an eager transformation",
    meaning=(
        "Under `jax.grad` or `jax.vmap` that is not itself jitted, the arguments of the inner jitted function are "
        "tracers. The fast path takes arrays alone, so every such call goes through Python, also when all is "
        "cached."
    ),
    evidence="The types of the tracers.",
    fix="Put `jax.jit` outside: `jax.jit(jax.grad(f))` instead of `jax.grad(jax.jit(f))`.",
    example_before="""
gradient = jax.grad(jax.jit(loss))
""",
    example_after="""
gradient = jax.jit(jax.grad(loss))
""",
)


def in_dispatch(evidence: DispatchEvidence) -> tuple[Cause, ...]:
    """Holds when tracers are among the arguments."""
    return (Cause(slug=PAGE.slug, after=", ".join(evidence.tracers)),) if evidence.tracers else ()


RULE = CauseRule(page=PAGE, in_dispatch=in_dispatch)
