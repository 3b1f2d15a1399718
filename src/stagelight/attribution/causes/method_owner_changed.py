"""``method-owner-changed``: a bound method of another object, or bound anew."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="method-owner-changed",
    group="cause",
    ledgers=("trace",),
    title="A bound method of another object",
    meaning=(
        "`jax.jit(model.step)` jits a bound method: a temporary object that Python makes at each attribute access. "
        "It is equal to another one only if the owner is equal, and when it dies its cache entries go with it."
    ),
    evidence="The owner (and the field of it that differs), before and after.",
    fix=(
        "Jit the method once and keep the result, or jit a plain function and pass the object as an argument, "
        "registered as a pytree."
    ),
    example_before="""
for x in batches:
    y = jax.jit(model.apply)(x)  # a new bound method each time
""",
    example_after="""
apply = jax.jit(model.apply)
for x in batches:
    y = apply(x)
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds when a bound method is another object than before."""
    if not evidence.change.other_object:
        return ()
    owners = evidence.change.owner
    if owners:
        return tuple(
            Cause(
                slug=PAGE.slug,
                path=owner.path,
                before=owner.before,
                after=owner.after,
                detail="equal by value, new object" if owner.kind == "recreated" else "",
            )
            for owner in owners
        )
    if evidence.function.kind != "method":
        return ()
    alive = evidence.traced.earlier_object_alive
    fate = " and the earlier bound method is dead" if alive is False else ""
    return (Cause(slug=PAGE.slug, path="self", detail=f"the same owner, bound anew{fate}"),)


RULE = CauseRule(page=PAGE, in_trace=in_trace)
