"""``traced-shape-argument``: a traced value in a shape."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="traced-shape-argument",
    group="failure",
    title="A traced value in a shape",
    meaning=(
        "The shape of every array in a compiled program is fixed while tracing, so `jnp.zeros(n)`, `reshape`, "
        "`arange` and `broadcast_to` cannot take a traced length."
    ),
    evidence="The exact expression with its line and column, and the arguments that it flows from.",
    fix=(
        "Make the length a static argument, take it from the shape of another array, or use a fixed largest length "
        "and a mask."
    ),
    example_before="""
@jax.jit
def fill(n, x):
    return jnp.full((n,), x)
""",
    example_after="""
@functools.partial(jax.jit, static_argnames="n")
def fill(n, x):
    return jnp.full((n,), x)
""",
)
