"""``branch-types-differ``: branches of other types."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="branch-types-differ",
    group="failure",
    title="The branches of a cond or switch give different types",
    meaning=(
        "Both branches become part of one program with one output type: shapes, dtypes, weak types and pytree "
        "structure must agree."
    ),
    evidence="The line of the cond, and the two types.",
    fix="Cast or pad in the branches so that both give the same; weak types go with an explicit dtype.",
    example_before="""
jax.lax.cond(flag, lambda x: x, lambda x: 0, x)
""",
    example_after="""
jax.lax.cond(flag, lambda x: x, lambda x: jnp.zeros_like(x), x)
""",
)
