"""``growing-shapes``: one axis takes a larger size each time."""

from stagelight.attribution.function_summary import FunctionSummary, definition_site, is_of_jax
from stagelight.attribution.limits import Limits
from stagelight.attribution.page import Page
from stagelight.attribution.rule import AdvisoryRule
from stagelight.model.attribution import Advisory

PAGE = Page(
    slug="growing-shapes",
    group="advisory",
    title="An axis grows with each call",
    meaning=(
        "An array that is made longer in Python and passed on has a new shape each time, so nothing is ever found "
        "in the cache: the number of compiles is the number of steps."
    ),
    evidence="The leaf and its axis, the first and the last size.",
    fix="Reserve the full length once and write into it with `.at[i].set`, with a count of what is real.",
    example_before="""
tokens = start
for _ in range(100):
    tokens = jnp.append(tokens, next_token(tokens))  # one longer each time
""",
    example_after="""
tokens = jnp.zeros(100, jnp.int32).at[: len(start)].set(start)
for n in range(len(start), 100):
    tokens = tokens.at[n].set(next_token(tokens, n))
""",
)


def at_end(summary: FunctionSummary, limits: Limits) -> tuple[Advisory, ...]:
    """Holds when an axis took at least as many growing sizes in a row as the limit; told once for each function."""
    if is_of_jax(summary.function):
        return ()
    growing = [growth for growth in summary.growing if growth.sizes >= limits.growing]
    if not growing:
        return ()
    longest = growing[0]
    more = f", as {len(growing) - 1} more" if len(growing) > 1 else ""
    return (
        Advisory(
            slug=PAGE.slug,
            function=summary.function,
            site=definition_site(summary.function),
            path=f"{longest.path}.shape[{longest.axis}]",
            before=str(longest.first),
            after=str(longest.last),
            detail=f"{longest.sizes} sizes in a row{more}",
        ),
    )


RULE = AdvisoryRule(page=PAGE, at_end=at_end)
