"""``sharding-changed``: an argument is laid out otherwise over the devices."""

from stagelight.attribution.evidence import CompileEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="sharding-changed",
    group="cause",
    ledgers=("compile",),
    title="An argument has another sharding",
    meaning=(
        "An executable is made for the sharding of its inputs. The traced program is the same; the compiled one "
        "moves other data between devices."
    ),
    evidence="The leaf's path, and its sharding before and after.",
    fix="Give every call the same sharding: one `jax.device_put` at the edge, or `in_shardings` on the jit.",
    example_before="""
decode(jax.device_put(tokens, replicated))
decode(jax.device_put(tokens, by_rows))  # compiled again
""",
    example_after="""
decode = jax.jit(decode, in_shardings=by_rows)
decode(tokens)
decode(tokens)
""",
)


def in_compile(evidence: CompileEvidence) -> tuple[Cause, ...]:
    """Holds for each leaf whose sharding differs."""
    return tuple(
        Cause(slug=PAGE.slug, path=change.path, before=change.before, after=change.after)
        for change in evidence.placements
        if change.kind == "sharding"
    )


RULE = CauseRule(page=PAGE, in_compile=in_compile)
