"""``jit-options-changed``: the function was jitted with other options."""

from stagelight.attribution.evidence import CompileEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="jit-options-changed",
    group="cause",
    ledgers=("compile",),
    title="The function was jitted with other options",
    meaning=(
        "Two `jax.jit` calls on one function share its traces, but an executable is made for each set of options: "
        "donated arguments, `inline`, `keep_unused`, shardings, compiler options."
    ),
    evidence="The option's name, before and after.",
    fix="Jit the function once, with one set of options.",
    example_before="""
jax.jit(step)(state)
jax.jit(step, donate_argnums=0)(state)  # compiled again
""",
    example_after="""
step = jax.jit(step, donate_argnums=0)
state = step(state)
state = step(state)
""",
)


def in_compile(evidence: CompileEvidence) -> tuple[Cause, ...]:
    """Holds for each option that differs."""
    return tuple(
        Cause(slug=PAGE.slug, path=change.name, before=change.before, after=change.after) for change in evidence.options
    )


RULE = CauseRule(page=PAGE, in_compile=in_compile)
