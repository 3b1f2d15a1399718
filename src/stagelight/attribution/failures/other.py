"""``other``: an error of another kind."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="other",
    group="failure",
    title="Another error was raised while tracing",
    meaning="The trace, the compile or the call raised an error that is none of the others of this list.",
    evidence="The exact expression with its line and column, and the arguments that it flows from.",
    fix="Read JAX's own message beside it; `JAX_TRACEBACK_FILTERING=off` shows the frames inside JAX.",
    example_before="""
f(x)  # raises
""",
    example_after="""
f(x)
""",
)
