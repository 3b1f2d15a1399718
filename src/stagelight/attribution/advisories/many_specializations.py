"""``many-specializations``: one function has more specializations than the limit."""

from stagelight.attribution.function_summary import FunctionSummary, definition_site, is_of_jax
from stagelight.attribution.key_parts import FUNCTION_OBJECT
from stagelight.attribution.limits import Limits
from stagelight.attribution.page import Page
from stagelight.attribution.rule import AdvisoryRule
from stagelight.model.attribution import Advisory

PAGE = Page(
    slug="many-specializations",
    group="advisory",
    title="One function has many specializations",
    meaning=(
        "Each specialization was traced and compiled, and its executable stays in memory. A function with many of "
        "them spends its time compiling, and their number usually comes from one argument."
    ),
    evidence="The argument that multiplies them, with how many values it had.",
    fix="Pad that argument to few sizes (`stagelight.bucketed`), or make a varying static argument an ordinary one.",
    example_before="""
for n in range(1, 100):
    attend(tokens[:n])  # 99 specializations
""",
    example_after="""
attend = stagelight.bucketed(attend, dims={"tokens": {0: "n"}})
for n in range(1, 100):
    attend(tokens[:n])
""",
)


def at_end(summary: FunctionSummary, limits: Limits) -> tuple[Advisory, ...]:
    """Holds when a function of the program or a library, JAX aside, has more specializations than the limit."""
    if summary.specializations <= limits.many or is_of_jax(summary.function):
        return ()
    part, values = summary.varied[0] if summary.varied else ("", 0)
    if summary.objects >= max(values, 2):
        part, values = FUNCTION_OBJECT, summary.objects
    detail = f"{part} had {values} values" if part else ""
    return (
        Advisory(
            slug=PAGE.slug,
            function=summary.function,
            site=definition_site(summary.function),
            path=part,
            after=f"{summary.specializations} specializations",
            detail=detail,
        ),
    )


RULE = AdvisoryRule(page=PAGE, at_end=at_end)
