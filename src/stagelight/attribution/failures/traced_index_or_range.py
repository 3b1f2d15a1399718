"""``traced-index-or-range``: a traced value where Python needs an integer."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="traced-index-or-range",
    group="failure",
    title="A traced value as an index, a slice bound or the length of a loop",
    meaning="`range(n)`, `items[i]` of a list and the bounds of a slice need a Python integer while tracing.",
    evidence="The exact expression with its line and column, and the arguments that it flows from.",
    fix=(
        "Index arrays instead of lists; slice with `jax.lax.dynamic_slice`; loop with `jax.lax.fori_loop`; or make "
        "the argument static."
    ),
    example_before="""
@jax.jit
def f(x, n):
    for _ in range(n):
        x = x * 2
    return x
""",
    example_after="""
@jax.jit
def f(x, n):
    return jax.lax.fori_loop(0, n, lambda _, x: x * 2, x)
""",
)
