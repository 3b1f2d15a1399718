"""``under-transformation``: a transformation around the call makes another key."""

from stagelight.attribution.evidence import CompileEvidence, TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="under-transformation",
    group="cause",
    ledgers=("trace", "compile"),
    title="Traced or compiled through a transformation",
    meaning=(
        "Under `vmap` a jitted function sees arguments without the mapped axis; under `grad` and `jvp` it is split "
        "into programs that compute derivatives too. Each is another program. This is expected once per "
        "transformation."
    ),
    evidence="Which transformation is around the call, before and after.",
    fix="None is needed once. Put `jax.jit` outermost, so that the whole is one program: `jax.jit(jax.grad(f))`.",
    example_before="""
loss = jax.jit(loss)
for batch in batches:
    gradient = jax.grad(loss)(w, batch)  # derivatives are taken eagerly, through the jitted function
""",
    example_after="""
gradient_of_loss = jax.jit(jax.grad(loss))
for batch in batches:
    gradient = gradient_of_loss(w, batch)
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds when other transformations than before explain what differs."""
    around = evidence.surroundings
    return () if around is None else (Cause(slug=PAGE.slug, before=around.before, after=around.after),)


def in_compile(evidence: CompileEvidence) -> tuple[Cause, ...]:
    """Holds when no trace led to the compile and a transformation is around it."""
    return (Cause(slug=PAGE.slug, after=", ".join(evidence.under)),) if evidence.under else ()


RULE = CauseRule(page=PAGE, in_trace=in_trace, in_compile=in_compile)
