"""``first-trace``: nothing of this function was traced before."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="first-trace",
    group="cause",
    ledgers=("trace",),
    title="The function was traced for the first time",
    meaning=(
        "No earlier specialization of this function exists in this process. Every function that runs under "
        "`jax.jit` is traced once for its first call, so this is expected."
    ),
    evidence="No path, before or after: there is nothing to compare with.",
    fix=(
        "None is needed. To move the cost away from the first request or the first step, compile before the first "
        "use: `f.lower(...).compile()`."
    ),
    example_before="""
import jax
import jax.numpy as jnp

step = jax.jit(lambda x: x * 2)
step(jnp.ones(3))  # traced and compiled here, once
""",
    example_after="""
import jax
import jax.numpy as jnp

step = jax.jit(lambda x: x * 2)
ready = step.lower(jnp.ones(3)).compile()  # the same work, before it is waited for
ready(jnp.ones(3))
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds when no earlier trace of the function succeeded."""
    return (Cause(slug=PAGE.slug),) if evidence.is_first and not evidence.is_retried else ()


RULE = CauseRule(page=PAGE, in_trace=in_trace)
