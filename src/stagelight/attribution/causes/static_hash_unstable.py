"""``static-hash-unstable``: a static argument is equal, but its hash differs."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="static-hash-unstable",
    group="cause",
    ledgers=("trace",),
    title="A static argument is equal to an earlier one, but its hash differs",
    meaning=(
        "Python requires that equal objects have equal hashes. Where `__hash__` uses more than `__eq__` compares "
        "(an identity, a counter, a time), JAX looks in the wrong place of its cache, finds nothing and traces "
        "again."
    ),
    evidence="The argument's name, and its text.",
    fix="Compute `__hash__` from exactly the fields that `__eq__` compares; `@dataclass(frozen=True)` does so.",
    example_before="""
class Config:
    def __eq__(self, other):
        return self.width == other.width

    def __hash__(self):
        return id(self)
""",
    example_after="""
class Config:
    def __eq__(self, other):
        return self.width == other.width

    def __hash__(self):
        return hash(self.width)
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds for each static argument that is alike and whose own hash differs."""
    return tuple(
        Cause(
            slug=PAGE.slug,
            path=change.path,
            before=change.before,
            after=change.after,
            detail="equal by value, but the hash differs",
        )
        for change in evidence.change.static
        if change.kind == "unstable"
    )


RULE = CauseRule(page=PAGE, in_trace=in_trace)
