"""``first-compile``: the program was compiled for the first time."""

from stagelight.attribution.evidence import CompileEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="first-compile",
    group="cause",
    ledgers=("compile",),
    title="The program was compiled for the first time",
    meaning=(
        "A trace led to this compile, or nothing was compiled for this function and these avals before. Why it was "
        "traced is said at the trace."
    ),
    evidence="No path, before or after.",
    fix="None is needed. The persistent compilation cache keeps compiled programs for the next process.",
    example_before="""
step(x)  # compiles in every new process
""",
    example_after="""
jax.config.update("jax_compilation_cache_dir", "compiled")
step(x)  # loads it in the next process
""",
)


def in_compile(evidence: CompileEvidence) -> tuple[Cause, ...]:
    """Holds when a trace of the same call led to it, or nothing was compiled for these avals before."""
    return (Cause(slug=PAGE.slug),) if evidence.follows_trace or evidence.is_first else ()


RULE = CauseRule(page=PAGE, in_compile=in_compile)
