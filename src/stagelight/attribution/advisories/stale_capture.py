"""``stale-capture``: a captured value changed after the trace."""

from stagelight.attribution.function_summary import definition_site
from stagelight.attribution.page import Page
from stagelight.attribution.rule import AdvisoryRule
from stagelight.model.attribution import Advisory
from stagelight.model.event import CaptureChanged
from stagelight.model.function import Function

PAGE = Page(
    slug="stale-capture",
    group="advisory",
    title="A captured value changed, and the compiled program still uses the old one",
    meaning=(
        "A global, a variable of an enclosing function, an attribute of a static object or of a method's owner is "
        "read once, while tracing. Changing it later changes nothing in what was compiled: the old value goes on "
        "being used, and no error says so."
    ),
    evidence="The name, the value that is still used, and what it is now.",
    fix="Pass the value as an argument. If it decides shapes or control flow, make it a static argument.",
    example_before="""
scale = 2.0

@jax.jit
def f(x):
    return x * scale

f(x)
scale = 3.0
f(x)  # still times 2.0
""",
    example_after="""
@jax.jit
def f(x, scale):
    return x * scale

f(x, 2.0)
f(x, 3.0)
""",
)


def of_capture(changed: CaptureChanged, function: Function) -> tuple[Advisory, ...]:
    """Holds for each captured value that was seen to change."""
    return (
        Advisory(
            slug=PAGE.slug,
            function=function,
            site=definition_site(function),
            path=changed.name,
            before=changed.before.text,
            after=changed.after.text,
            detail="the compiled program still uses the earlier value",
        ),
    )


RULE = AdvisoryRule(page=PAGE, of_capture=of_capture)
