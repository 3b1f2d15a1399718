"""``jaxpr-reused``: a new jit wrapper found the earlier trace."""

from stagelight.attribution.evidence import DispatchEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="jaxpr-reused",
    group="cause",
    ledgers=("dispatch",),
    title="A new jit wrapper, or an evicted entry, found the earlier trace",
    meaning=(
        "`jax.jit(f)` on the same function object shares traces and executables with the earlier wrapper, so "
        "nothing is traced or compiled. But its fast path is empty: the first call of each wrapper goes through "
        "Python."
    ),
    evidence="No path, before or after.",
    fix="Keep the result of `jax.jit(f)` and call it, instead of jitting again at each call.",
    example_before="""
for batch in batches:
    loss = jax.jit(loss_of)(w, batch)
""",
    example_after="""
loss_jitted = jax.jit(loss_of)
for batch in batches:
    loss = loss_jitted(w, batch)
""",
)


def in_dispatch(evidence: DispatchEvidence) -> tuple[Cause, ...]:
    """Holds when the jaxpr was found in another cache, or another wrapper had served these avals."""
    reused = evidence.found_jaxpr or evidence.other_wrapper or evidence.found_by_equality
    return (Cause(slug=PAGE.slug),) if reused else ()


RULE = CauseRule(page=PAGE, in_dispatch=in_dispatch)
