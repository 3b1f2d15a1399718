"""``sharding-type-changed``: the sharding inside an argument's type differs."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.leaf_changes import has_other_sharding
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="sharding-type-changed",
    group="cause",
    ledgers=("trace",),
    title="An argument's type has another sharding",
    meaning=(
        "On a mesh with explicit axes (the default of `jax.make_mesh` since JAX 0.9) the sharding is part of an "
        "array's type, so it is part of the tracing key: the same numbers laid out otherwise are traced again. On "
        "automatic axes the mesh alone is: the first array on a mesh is traced again."
    ),
    evidence="The leaf's path, and the sharding in its type before and after.",
    fix="Put the data where it belongs once, before the first call, with one `jax.device_put`.",
    example_before="""
step(params, batch)  # on one device
step(params, jax.device_put(batch, by_rows))  # sharded: traced again
""",
    example_after="""
step(params, jax.device_put(batch, by_rows))
step(params, jax.device_put(other_batch, by_rows))
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds for each leaf whose aval holds another sharding."""
    return tuple(
        Cause(
            slug=PAGE.slug,
            path=change.path,
            before=change.before.sharding or "no sharding",
            after=change.after.sharding or "no sharding",
        )
        for change in evidence.change.leaves
        if has_other_sharding(change)
    )


RULE = CauseRule(page=PAGE, in_trace=in_trace)
