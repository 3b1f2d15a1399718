"""``unhashable-static-argument``: a static argument that cannot be hashed."""

from stagelight.attribution.page import Page

PAGE = Page(
    slug="unhashable-static-argument",
    group="failure",
    title="A static argument cannot be hashed",
    meaning=(
        "Static arguments are looked up in a table, so they need `__hash__`. Lists, dicts, sets, arrays and plain "
        "dataclasses have none."
    ),
    evidence="The argument's name and the type of the value.",
    fix="Pass a tuple, a `frozenset` or a `@dataclass(frozen=True)`; an array must be an ordinary argument.",
    example_before="""
@functools.partial(jax.jit, static_argnames="sizes")
def f(x, sizes):
    return x.reshape(sizes)

f(x, sizes=[2, 3])
""",
    example_after="""
@functools.partial(jax.jit, static_argnames="sizes")
def f(x, sizes):
    return x.reshape(sizes)

f(x, sizes=(2, 3))
""",
)
