"""``committed-changed``: an argument became committed to its device, or stopped being so."""

from stagelight.attribution.evidence import CompileEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="committed-changed",
    group="cause",
    ledgers=("compile",),
    title="An argument became committed to its device",
    meaning=(
        "An array that `jax.device_put` placed on a named device or sharding is committed; one that `jnp.ones` made "
        "is not. The traced program is the same, but an executable is made for each: a committed argument decides "
        "where it runs."
    ),
    evidence="The leaf's path, and whether it is committed, before and after.",
    fix="Place data the same way each time: `jax.device_put` every batch and the restored parameters, or none.",
    example_before="""
step(jnp.ones(3))
step(jax.device_put(jnp.ones(3), jax.devices()[0]))  # compiled again
""",
    example_after="""
device = jax.devices()[0]
step(jax.device_put(jnp.ones(3), device))
step(jax.device_put(jnp.ones(3), device))
""",
)


def in_compile(evidence: CompileEvidence) -> tuple[Cause, ...]:
    """Holds for each leaf whose committed flag differs."""
    return tuple(
        Cause(slug=PAGE.slug, path=change.path, before=change.before, after=change.after)
        for change in evidence.placements
        if change.kind == "committed"
    )


RULE = CauseRule(page=PAGE, in_compile=in_compile)
