"""``static-value-changed``: a static argument has another value."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="static-value-changed",
    group="cause",
    ledgers=("trace",),
    title="A static argument has another value or type",
    meaning=(
        "The value of a static argument is part of the key: each value is its own program. JAX compares the types "
        "too, so `2`, `2.0` and `True` are three keys. The parameters of an eager operation (an axis, a shape) are "
        "static as well, and so are the non-array arguments of `equinox.filter_jit`."
    ),
    evidence="The argument's name (and field), before and after: `mode`, `'sum'` → `'mean'`.",
    fix=(
        "Make it an ordinary argument if it varies: a learning rate, a step number, a temperature. Leave static "
        "only what takes few values or decides shapes and control flow."
    ),
    example_before="""
@functools.partial(jax.jit, static_argnames="rate")
def step(w, g, *, rate):
    return w - rate * g
""",
    example_after="""
@jax.jit
def step(w, g, *, rate):
    return w - rate * g
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds for each static argument whose value or type differs."""
    return tuple(
        Cause(
            slug=PAGE.slug,
            path=change.path,
            before=change.before,
            after=change.after,
            detail=f"told apart by its {change.told_apart_by}" if change.told_apart_by else "",
        )
        for change in evidence.change.static
        if change.kind == "value"
    )


RULE = CauseRule(page=PAGE, in_trace=in_trace)
