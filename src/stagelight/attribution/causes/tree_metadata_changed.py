"""``tree-metadata-changed``: static data inside an argument differs."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="tree-metadata-changed",
    group="cause",
    ledgers=("trace",),
    title="Static data of an argument's pytree differs",
    meaning=(
        "A pytree node may carry data that are not leaves: meta fields of a registered dataclass, static fields of "
        "an Equinox module or a Flax struct, plain attributes of an NNX module. They are part of the key and "
        "compared by `==`. A function or object that is made anew each time is never equal to the earlier one."
    ),
    evidence="The field's path, before and after: `model.act`, `relu` → `tanh`.",
    fix=(
        "Make what varies a leaf (a data field, an array). Leave in static fields only what stays: functions "
        "defined once at module level, settings with `__eq__` and `__hash__`."
    ),
    example_before="""
for epoch in range(3):
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)  # another transformation object each epoch
    train(model, optimizer)
""",
    example_after="""
adam = optax.adam(1e-3)
for epoch in range(3):
    optimizer = nnx.Optimizer(model, adam, wrt=nnx.Param)
    train(model, optimizer)
""",
)

SAID = {
    "value": "",
    "recreated": "equal by value, new object, and compared by identity",
    "unstable": "equal by value, but its hash differs",
}


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds for each field of a node's static data that differs."""
    return tuple(
        Cause(
            slug=PAGE.slug,
            path=change.path,
            before=change.before,
            after=change.after,
            detail=SAID[change.kind],
        )
        for change in evidence.change.metadata
    )


RULE = CauseRule(page=PAGE, in_trace=in_trace)
