"""``single-use-specialization``: compiled, then the key never came back."""

from stagelight.attribution.function_summary import FunctionSummary, definition_site
from stagelight.attribution.limits import Limits
from stagelight.attribution.page import Page
from stagelight.attribution.rule import AdvisoryRule
from stagelight.model.attribution import Advisory

PAGE = Page(
    slug="single-use-specialization",
    group="advisory",
    title="A specialization served a single call",
    meaning=(
        "It was traced and compiled for one call, while the function was called many times with other keys. "
        "Compiling usually costs more than hundreds of calls. Seen only where calls are counted (`run --calls`)."
    ),
    evidence="The aval of the first argument, and the calls of the function.",
    fix="Give the odd call a size that is already compiled: drop or pad the last batch.",
    example_before="""
for batch in batches(data, 32):
    step(batch)  # 4,000 calls of 32 rows, one of 17
""",
    example_after="""
for batch in batches(data, 32, drop_remainder=True):
    step(batch)
""",
)

FEWEST_CALLS = 10


def at_end(summary: FunctionSummary, limits: Limits) -> tuple[Advisory, ...]:
    """Holds for each specialization that is told apart by its first argument and served one call of many."""
    if summary.calls is None or summary.calls < FEWEST_CALLS:
        return ()
    specializations = dict(summary.specializations_by_argument)
    return tuple(
        Advisory(
            slug=PAGE.slug,
            function=summary.function,
            site=definition_site(summary.function),
            path=argument,
            after=f"1 of {summary.calls} calls",
        )
        for argument, calls in summary.calls_by_argument
        if calls == 1 and specializations.get(argument) == 1
    )[: limits.many]


RULE = AdvisoryRule(page=PAGE, at_end=at_end)
