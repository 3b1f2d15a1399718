"""``rejected-while-tracing``: the program's own error while tracing."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="rejected-while-tracing",
    group="failure",
    title="The program raised an error of its own while tracing",
    meaning=(
        "A `raise` or `assert` of the user's code ran while the function was traced. It depends on static values, "
        "shapes or types; nothing is wrong with tracing itself."
    ),
    evidence="The exact expression with its line and column, and the arguments that it flows from.",
    fix=(
        "None is needed if it was meant. The error stops the trace, so nothing is cached, and the next call traces "
        "again."
    ),
    example_before="""
@jax.jit
def f(x):
    if x.ndim != 2:
        raise ValueError("need a matrix")
    return x.T
""",
    example_after="""
check_is_matrix(x)  # before the jitted function is called
f(x)
""",
)
