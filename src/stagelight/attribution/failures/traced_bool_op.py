"""``traced-bool-op``: ``and``, ``or``, ``not``, ``min``, ``max`` or ``sorted`` on a traced value."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="traced-bool-op",
    group="failure",
    title="`and`, `or`, `not`, `min`, `max` or `sorted` on a traced value",
    meaning=(
        "These operations of Python ask for the truth of their operands, one after the other. A tracer has no truth "
        "value while tracing."
    ),
    evidence="The exact expression with its line and column, and the arguments that it flows from.",
    fix="Use `&`, `|`, `~` or `jnp.logical_and` and its kin, `jnp.minimum`, `jnp.maximum`, `jnp.sort`.",
    example_before="""
@jax.jit
def clip(x):
    return max(x, 0.0)
""",
    example_after="""
@jax.jit
def clip(x):
    return jnp.maximum(x, 0.0)
""",
)
