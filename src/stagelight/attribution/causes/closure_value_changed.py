"""``closure-value-changed``: a new function object captured another value."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="closure-value-changed",
    group="cause",
    ledgers=("trace",),
    title="The new function object captured another value",
    meaning=(
        "A nested function keeps the variables around it, a `functools.partial` its arguments, any function its "
        "defaults. Such values are constants of the compiled program. Making a new function object for each value "
        "is the only way to change them, and each one is traced and compiled."
    ),
    evidence="The captured name, before and after.",
    fix="Pass the value as an argument; make it a static argument if it decides shapes or control flow.",
    example_before="""
def make_step(rate):
    return jax.jit(lambda w, g: w - rate * g)

for rate in (0.1, 0.01):
    w = make_step(rate)(w, g)
""",
    example_after="""
@jax.jit
def step(w, g, rate):
    return w - rate * g

for rate in (0.1, 0.01):
    w = step(w, g, rate)
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds for each captured value of the new function object that is not equal to the earlier one."""
    return tuple(
        Cause(slug=PAGE.slug, path=change.path, before=change.before, after=change.after)
        for change in evidence.change.captured
        if change.kind == "value"
    )


RULE = CauseRule(page=PAGE, in_trace=in_trace)
