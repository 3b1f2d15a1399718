"""``large-constant``: a captured array became part of the program."""

from stagelight.attribution.function_summary import definition_site
from stagelight.attribution.limits import Limits
from stagelight.attribution.page import Page
from stagelight.attribution.rule import AdvisoryRule
from stagelight.model.attribution import Advisory
from stagelight.model.aval import text_from_aval
from stagelight.model.event import Traced
from stagelight.model.function import Function

PAGE = Page(
    slug="large-constant",
    group="advisory",
    title="A large captured array was baked into the program",
    meaning=(
        "An array that a function reads from outside is a constant of the program. It makes lowering and compiling "
        "slow, lives once more in each executable, and enters the key of the persistent cache with all its bytes."
    ),
    evidence="The captured name, its aval and its size.",
    fix="Pass the array as an argument.",
    example_before="""
table = jnp.ones((4096, 1024))

@jax.jit
def embed(tokens):
    return table[tokens]
""",
    example_after="""
@jax.jit
def embed(table, tokens):
    return table[tokens]
""",
)


def of_trace(traced: Traced, function: Function, limits: Limits) -> tuple[Advisory, ...]:
    """Holds for each captured array of at least the limit."""
    return tuple(
        Advisory(
            slug=PAGE.slug,
            function=function,
            site=definition_site(function),
            path=constant.name,
            after=text_from_aval(constant.aval),
            detail=f"{size_text(constant.size_bytes)} in the program",
        )
        for constant in traced.constants
        if constant.size_bytes >= limits.constant_bytes
    )


def size_text(size_bytes: int) -> str:
    """A size as people read it.

    >>> size_text(3 << 20)
    '3.0 MiB'
    """
    size = float(size_bytes)
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.1f} {unit}" if unit != "B" else f"{size_bytes} B"
        size /= 1024
    return f"{size:.1f} GiB"


RULE = AdvisoryRule(page=PAGE, of_trace=of_trace)
