"""``shape-mismatch``: shapes that do not fit."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="shape-mismatch",
    group="failure",
    title="Shapes of two operands do not fit",
    meaning=(
        "The operation raised while tracing because shapes cannot be broadcast, multiplied or concatenated. Shapes "
        "are known while tracing, so this is found before anything runs."
    ),
    evidence="The exact expression with its line and column, and the arguments that it flows from.",
    fix=(
        "Print the shapes while tracing (`print(x.shape)` runs then), and name the axes in a comment or a shape "
        "annotation."
    ),
    example_before="""
@jax.jit
def f(x, w):
    return x @ w  # (3, 4) @ (3, 5)
""",
    example_after="""
@jax.jit
def f(x, w):
    return x.T @ w
""",
)
