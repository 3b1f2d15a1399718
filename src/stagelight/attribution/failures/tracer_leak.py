"""``tracer-leak``: a tracer outlived its trace."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="tracer-leak",
    group="failure",
    title="A tracer was kept and used after its trace ended",
    meaning=(
        "A value computed while tracing was stored in a global, an attribute or a list, and used later. It stands "
        "for a value inside a program that is finished."
    ),
    evidence="Where the leaked tracer was used, and where it was made.",
    fix="Return the value instead of storing it, and store what the function returns.",
    example_before="""
def loss(w):
    history.append((w**2).sum())
    return history[-1]

jax.grad(loss)(w)
history[-1] + 1
""",
    example_after="""
def loss(w):
    return (w**2).sum()

value, gradient = jax.value_and_grad(loss)(w)
history.append(value)
""",
)
