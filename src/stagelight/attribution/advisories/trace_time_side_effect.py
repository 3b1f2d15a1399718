"""``trace-time-side-effect``: Python that ran while tracing, and will not run again."""

from stagelight.attribution.limits import Limits
from stagelight.attribution.page import Page
from stagelight.attribution.rule import AdvisoryRule
from stagelight.model.attribution import Advisory
from stagelight.model.event import Traced
from stagelight.model.function import Function

PAGE = Page(
    slug="trace-time-side-effect",
    group="advisory",
    title="A side effect of Python ran while tracing",
    meaning=(
        "`print`, logging, the clock and Python's random numbers run when the function is traced, not when the "
        "program runs. A cached call does not print, and uses the time and the random number of the trace."
    ),
    evidence="What ran, and on which line.",
    fix="Use `jax.debug.print` for output, `jax.random` for random numbers; read the clock outside.",
    example_before="""
@jax.jit
def noisy(x):
    print("called")  # once
    return x + random.random()  # the same number in each call
""",
    example_after="""
@jax.jit
def noisy(x, key):
    jax.debug.print("called")
    return x + jax.random.uniform(key)
""",
)


def of_trace(traced: Traced, function: Function, limits: Limits) -> tuple[Advisory, ...]:
    """Holds for each side effect that ran in the trace."""
    del limits
    return tuple(
        Advisory(
            slug=PAGE.slug,
            function=function,
            site=effect.site,
            path=effect.what,
            detail="ran while tracing; a cached call does not run it",
        )
        for effect in traced.side_effects
    )


RULE = AdvisoryRule(page=PAGE, of_trace=of_trace)
