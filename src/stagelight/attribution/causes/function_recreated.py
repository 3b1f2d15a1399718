"""``function-recreated``: the same code in a new function object."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.attribution.site_text import site_text
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="function-recreated",
    group="cause",
    ledgers=("trace",),
    title="The function was made anew",
    meaning=(
        "JAX tells functions apart by identity. A lambda, a nested `def`, a `functools.partial`, `jax.vmap(f)` or "
        "`jax.grad(f)` that runs again makes a new function object with the same code: its caches are empty, so it "
        "is traced and compiled again, and the old entries go when the old object dies."
    ),
    evidence="Where it is jitted, how many times that has run, and whether the earlier object is still alive.",
    fix="Make the function once, at module level or before the loop; pass what varies as arguments.",
    example_before="""
for batch in batches:
    loss = jax.jit(lambda w: loss_of(w, batch))(w)  # a new function for each batch
""",
    example_after="""
loss_jitted = jax.jit(loss_of)
for batch in batches:
    loss = loss_jitted(w, batch)
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds when the function object is another one, bound methods left to ``method-owner-changed``."""
    if not evidence.change.other_object or evidence.function.kind == "method":
        return ()
    return (Cause(slug=PAGE.slug, path=evidence.function.name, detail=circumstances(evidence)),)


def circumstances(evidence: TraceEvidence) -> str:
    """Where it was made, how often, and what became of the earlier object."""
    traced = evidence.traced
    said: list[str] = []
    if traced.rerun_of_cell:
        said.append("its notebook cell was run again")
    if traced.made_at is not None and traced.made_at.file:
        times = f", {traced.made_times} times by then" if traced.made_times > 1 else ""
        said.append(f"jitted at {site_text(traced.made_at)}{times}")
    if traced.earlier_object_alive is not None:
        said.append(f"the earlier object is {'still alive' if traced.earlier_object_alive else 'dead'}")
    return ", ".join(said)


RULE = CauseRule(page=PAGE, in_trace=in_trace)
