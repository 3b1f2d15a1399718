"""``unrolled-loop``: one source line gave the same equations many times."""

from stagelight.attribution.limits import Limits
from stagelight.attribution.page import Page
from stagelight.attribution.rule import AdvisoryRule
from stagelight.model.attribution import Advisory
from stagelight.model.event import Traced
from stagelight.model.function import Function

PAGE = Page(
    slug="unrolled-loop",
    group="advisory",
    title="A Python loop was unrolled into the program",
    meaning=(
        "A `for` or `while` of Python runs while tracing: each turn adds its equations to the program. Trace and "
        "compile time grow with the number of turns, and compile time often faster."
    ),
    evidence="The line, how many times it ran, and how many equations it gave.",
    fix="Use `jax.lax.scan` or `jax.lax.fori_loop`, or `jax.vmap` where the turns do not depend on each other.",
    example_before="""
@jax.jit
def decay(x):
    for _ in range(100):
        x = x * 0.99
    return x
""",
    example_after="""
@jax.jit
def decay(x):
    return jax.lax.fori_loop(0, 100, lambda _, x: x * 0.99, x)
""",
)


def of_trace(traced: Traced, function: Function, limits: Limits) -> tuple[Advisory, ...]:
    """Holds for each line that gave the same equations at least as often as the limit."""
    return tuple(
        Advisory(
            slug=PAGE.slug,
            function=function,
            site=line.site,
            after=f"{line.repetitions} times",
            detail=f"{line.equations} of {traced.equations} equations" if traced.equations else "",
        )
        for line in traced.unrolled
        if line.repetitions >= limits.unrolled
    )


RULE = AdvisoryRule(page=PAGE, of_trace=of_trace)
