"""``dtype-changed``: an argument has another dtype."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.leaf_changes import has_other_dtype
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause
from stagelight.model.aval import text_from_aval

PAGE = Page(
    slug="dtype-changed",
    group="cause",
    ledgers=("trace",),
    title="An argument has another dtype",
    meaning=(
        "A compiled program is made for fixed dtypes. Integers where floats were seen, `float64` from NumPy, "
        "`bfloat16` weights, or a raw `uint32` key where a typed random key was seen: each is another key."
    ),
    evidence="The leaf's path, and its aval before and after: `f32[3]` → `i32[3]`, `key<fry>[]` → `u32[2]`.",
    fix="Cast once at the edge, where data enters the program, and keep one dtype from there on.",
    example_before="""
step(params, jnp.arange(3))  # int32
step(params, jnp.ones(3))  # float32: traced again
""",
    example_after="""
step(params, jnp.arange(3, dtype=jnp.float32))
step(params, jnp.ones(3))
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds for each leaf whose dtype differs."""
    return tuple(
        Cause(
            slug=PAGE.slug,
            path=change.path,
            before=text_from_aval(change.before),
            after=text_from_aval(change.after),
        )
        for change in evidence.change.leaves
        if has_other_dtype(change)
    )


RULE = CauseRule(page=PAGE, in_trace=in_trace)
