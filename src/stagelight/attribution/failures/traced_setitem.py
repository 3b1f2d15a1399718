"""``traced-setitem``: assignment into a JAX array."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="traced-setitem",
    group="failure",
    title="A JAX array was assigned to in place",
    meaning="JAX arrays cannot be changed. `x[i] = y` raises, in traced code and outside.",
    evidence="The exact expression with its line and column, and the arguments that it flows from.",
    fix="Use `x = x.at[i].set(y)`; inside `jit` it is done in place where nothing else needs the old array.",
    example_before="""
@jax.jit
def f(x):
    x[0] = 1.0
    return x
""",
    example_after="""
@jax.jit
def f(x):
    return x.at[0].set(1.0)
""",
)
