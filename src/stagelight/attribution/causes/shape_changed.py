"""``shape-changed``: an argument has another shape."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.leaf_changes import has_other_shape
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause
from stagelight.model.aval import text_from_aval

PAGE = Page(
    slug="shape-changed",
    group="cause",
    ledgers=("trace",),
    title="An argument has another shape",
    meaning=(
        "A compiled program is made for fixed shapes. When an array among the arguments has a shape that was not "
        "seen with the rest of the key, JAX traces and compiles the function again."
    ),
    evidence="The leaf's path, and its aval before and after: `batch['x']`, `f32[32,128]` → `f32[17,128]`.",
    fix=(
        "Keep shapes fixed: drop the ragged last batch (`drop_remainder=True`), pad it and mask the padding, or let "
        "`stagelight.bucketed` do so with few sizes and the same results."
    ),
    example_before="""
for start in range(0, 100, 32):
    step(params, data[start : start + 32])  # the last batch has 4 rows: traced again
""",
    example_after="""
for start in range(0, 100 - 100 % 32, 32):
    step(params, data[start : start + 32])  # 32 rows each time
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds for each leaf whose shape differs."""
    return tuple(
        Cause(
            slug=PAGE.slug,
            path=change.path,
            before=text_from_aval(change.before),
            after=text_from_aval(change.after),
        )
        for change in evidence.change.leaves
        if has_other_shape(change)
    )


RULE = CauseRule(page=PAGE, in_trace=in_trace)
