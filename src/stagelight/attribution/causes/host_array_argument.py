"""``host-array-argument``: a host value where an Array was seen."""

from stagelight.attribution.evidence import DispatchEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="host-array-argument",
    group="cause",
    ledgers=("dispatch",),
    title="A NumPy array or Python scalar where a JAX array was seen, or the other way",
    meaning=(
        "The fast path keeps one entry for each kind of argument. The first NumPy array or Python scalar in the "
        "place of a `jax.Array` goes through Python once, and every such argument is copied to the device at each "
        "call."
    ),
    evidence="The leaf's path, and the types before and after.",
    fix="Convert data once at the edge: `jnp.asarray(batch)` or `jax.device_put(batch)`.",
    example_before="""
step(jnp.ones(3))
step(np.ones(3, np.float32))  # leaves the fast path
""",
    example_after="""
step(jnp.ones(3))
step(jnp.asarray(np.ones(3, np.float32)))
""",
)


def in_dispatch(evidence: DispatchEvidence) -> tuple[Cause, ...]:
    """Holds for each leaf that is a host value and was an Array, or the other way."""
    return tuple(
        Cause(slug=PAGE.slug, path=change.path, before=change.before, after=change.after) for change in evidence.hosts
    )


RULE = CauseRule(page=PAGE, in_dispatch=in_dispatch)
