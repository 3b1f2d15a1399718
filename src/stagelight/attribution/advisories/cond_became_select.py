"""``cond-became-select``: a ``cond`` under ``vmap`` runs both branches."""

from stagelight.attribution.limits import Limits
from stagelight.attribution.page import Page
from stagelight.attribution.rule import AdvisoryRule
from stagelight.model.attribution import Advisory
from stagelight.model.event import Traced
from stagelight.model.function import Function

PAGE = Page(
    slug="cond-became-select",
    group="advisory",
    title="A cond under vmap became a select: both branches run",
    meaning=(
        "`jax.lax.cond` runs one branch. Under `jax.vmap` with a predicate of one value for each row, rows may need "
        "different branches, so JAX runs both for all rows and selects. A costly branch is always paid for, and one "
        "that gives NaN poisons gradients."
    ),
    evidence="The line of the `cond`.",
    fix="Map over rows with `jax.lax.map`, sort rows by branch outside, or make both branches cheap and safe.",
    example_before="""
def f(x):
    return jax.lax.cond(x > 0, costly, cheap, x)

jax.vmap(f)(xs)  # costly runs for every row
""",
    example_after="""
jax.lax.map(f, xs)  # one row at a time, one branch each
""",
)


def of_trace(traced: Traced, function: Function, limits: Limits) -> tuple[Advisory, ...]:
    """Holds for each line whose ``cond`` became a ``select`` in this trace."""
    del limits
    return tuple(
        Advisory(slug=PAGE.slug, function=function, site=site, detail="both branches run") for site in traced.selects
    )


RULE = AdvisoryRule(page=PAGE, of_trace=of_trace)
