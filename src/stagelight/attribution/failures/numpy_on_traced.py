"""``numpy-on-traced``: NumPy was given a traced value."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="numpy-on-traced",
    group="failure",
    title="NumPy was given a traced value",
    meaning="Functions of NumPy compute at once, on real arrays. A tracer cannot be turned into one.",
    evidence="The exact expression with its line and column, and the arguments that it flows from.",
    fix="Use the function of the same name from `jax.numpy`; for code that must be NumPy, `jax.pure_callback`.",
    example_before="""
@jax.jit
def f(x):
    return np.sin(x)
""",
    example_after="""
@jax.jit
def f(x):
    return jnp.sin(x)
""",
)
