"""``weak-type-changed``: only the weak flag of an argument differs."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.leaf_changes import has_other_weak_type
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause
from stagelight.model.aval import text_from_aval

PAGE = Page(
    slug="weak-type-changed",
    group="cause",
    ledgers=("trace",),
    title="An argument became weakly typed, or stopped being so",
    meaning=(
        "A Python scalar has a weak type: it yields to the dtype of what it meets. So has an array made of one "
        "without a dtype (`jnp.asarray(0.0)`, `jnp.full((), 0.0)`). The flag is part of the key, so state that "
        "starts weak and comes back strong after one step is traced twice."
    ),
    evidence="The leaf's path; the weak one of the two avals has `~` before it: `~f32[]` → `f32[]`.",
    fix="Give the start value an explicit dtype.",
    example_before="""
average = 0.0  # weak
for batch in batches:
    average = update(average, batch)  # strong from the second call on: traced again
""",
    example_after="""
average = jnp.float32(0.0)
for batch in batches:
    average = update(average, batch)
""",
)

SOURCES = "weak types come from Python scalars, and from jnp.asarray or jnp.full of one"


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds for each leaf whose weak flag differs while its dtype does not."""
    return tuple(
        Cause(
            slug=PAGE.slug,
            path=change.path,
            before=text_from_aval(change.before),
            after=text_from_aval(change.after),
            detail=f"{'now' if change.after.weak else 'was'} weak: {SOURCES}",
        )
        for change in evidence.change.leaves
        if has_other_weak_type(change)
    )


RULE = CauseRule(page=PAGE, in_trace=in_trace)
