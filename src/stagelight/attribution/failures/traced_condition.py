"""``traced-condition``: Python asked for the truth of a traced value."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="traced-condition",
    group="failure",
    title="Python asked whether a traced value is true",
    meaning=(
        "`if`, `while`, `assert`, a chained comparison and a membership test need `True` or `False` now. While "
        "tracing there is only a tracer: its value is known when the compiled program runs."
    ),
    evidence="The exact expression with its line and column, and the arguments that it flows from.",
    fix=(
        "Use `jnp.where` for element-wise choices, `jax.lax.cond` or `jax.lax.while_loop` where one branch must not "
        "run, or make the argument static if it takes few values."
    ),
    example_before="""
@jax.jit
def f(x):
    return x if x > 0 else -x
""",
    example_after="""
@jax.jit
def f(x):
    return jnp.where(x > 0, x, -x)
""",
)
