"""``traced-concretize``: a traced value was turned into a Python number or text."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="traced-concretize",
    group="failure",
    title="A traced value was turned into a Python number or text",
    meaning=(
        '`float(x)`, `int(x)`, `x.item()`, `x.tolist()` and a format specification (`f"{x:.3f}"`) need the value '
        "itself, which is not known while tracing."
    ),
    evidence="The exact expression with its line and column, and the arguments that it flows from.",
    fix="Keep it an array (`x.astype(...)`), return it and convert outside, or print with `jax.debug.print`.",
    example_before="""
@jax.jit
def f(x):
    return float(x.sum()) * 2
""",
    example_after="""
@jax.jit
def f(x):
    return x.sum() * 2
""",
)
