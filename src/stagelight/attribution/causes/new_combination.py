"""``new-combination``: every part was seen before, never together."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="new-combination",
    group="cause",
    ledgers=("trace",),
    title="Parts that were all seen before came together for the first time",
    meaning=(
        "Each shape, each static value, each setting was traced before, but not this combination. The number of "
        "specializations is the product of what each argument varies over."
    ),
    evidence="The parts that vary.",
    fix="Compile every combination that will be needed during warm-up, or let fewer arguments vary.",
    example_before="""
apply(batch_of_8, mode="train")
apply(batch_of_1, mode="eval")
apply(batch_of_1, mode="train")  # traced again
""",
    example_after="""
for batch in (batch_of_8, batch_of_1):
    for mode in ("train", "eval"):
        apply(batch, mode=mode)  # warm-up: all four
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds when each part of the key was seen before and this key was not."""
    parts = evidence.combination
    if not parts:
        return ()
    return (Cause(slug=PAGE.slug, path=", ".join(parts), detail="each seen before, never together"),)


RULE = CauseRule(page=PAGE, in_trace=in_trace)
