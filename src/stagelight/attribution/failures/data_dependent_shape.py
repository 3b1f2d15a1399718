"""``data-dependent-shape``: the shape of a result depends on values."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="data-dependent-shape",
    group="failure",
    title="The shape of a result depends on values",
    meaning=(
        "A boolean mask as index, `jnp.nonzero`, `jnp.unique` and `jnp.where` with one argument give as many "
        "elements as the data decide. A compiled program needs that number while tracing."
    ),
    evidence="The exact expression with its line and column, and the arguments that it flows from.",
    fix="Use `jnp.where(mask, x, 0)`, a masked reduction (`where=`), or the `size=` argument with a fixed number.",
    example_before="""
@jax.jit
def positive_sum(x):
    return x[x > 0].sum()
""",
    example_after="""
@jax.jit
def positive_sum(x):
    return jnp.where(x > 0, x, 0).sum()
""",
)
