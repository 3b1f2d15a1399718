"""``carry-type-differs``: a carry whose type changes."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="carry-type-differs",
    group="failure",
    title="The carry of a loop changes its type",
    meaning=(
        "What the body of `scan`, `while_loop` or `fori_loop` returns as carry must have the type of what it was "
        "given: shape, dtype, weak type, structure."
    ),
    evidence="The line of the loop, and the type before and after.",
    fix="Start with the dtype that the body gives (`jnp.float32(0)` instead of `0`), or cast at the end of the body.",
    example_before="""
jax.lax.fori_loop(0, 3, lambda i, c: c + 0.5, 0)
""",
    example_after="""
jax.lax.fori_loop(0, 3, lambda i, c: c + 0.5, jnp.float32(0))
""",
)
