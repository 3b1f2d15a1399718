"""``static-object-recreated``: a static argument is an equal object that was made anew."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="static-object-recreated",
    group="cause",
    ledgers=("trace",),
    title="A static argument is a new object with the same contents",
    meaning=(
        "An object whose class defines no `__eq__` and `__hash__` is told apart by identity. A new one with the "
        "same attributes is another key, and so is a lambda or local function that is written anew at each call."
    ),
    evidence="The argument's name; the object's text before and after is the same, the object is not.",
    fix=(
        "Make its class a `@dataclass(frozen=True)`, or define `__eq__` and `__hash__`; define functions once, outside."
    ),
    example_before="""
class Config:
    def __init__(self, width):
        self.width = width

apply(x, Config(4))
apply(x, Config(4))  # another object: traced again
""",
    example_after="""
@dataclasses.dataclass(frozen=True)
class Config:
    width: int

apply(x, Config(4))
apply(x, Config(4))
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds for each static argument that is alike and told apart by identity."""
    return tuple(
        Cause(
            slug=PAGE.slug,
            path=change.path,
            before=change.before,
            after=change.after,
            detail="equal by value, new object",
        )
        for change in evidence.change.static
        if change.kind == "recreated"
    )


RULE = CauseRule(page=PAGE, in_trace=in_trace)
