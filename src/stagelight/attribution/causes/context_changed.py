"""``context-changed``: a setting of the trace context differs."""

from stagelight.attribution.evidence import TraceEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="context-changed",
    group="cause",
    ledgers=("trace",),
    title="A setting of the trace context differs",
    meaning=(
        "Some settings of JAX enter every key, since the traced program depends on them: 64-bit mode, the precision "
        "of matrix products, dtype promotion, the mesh, the default device. A program that changes one between two "
        "calls, or calls inside a `with` block once and outside it once, is traced for each."
    ),
    evidence="The setting's name, before and after: `jax_enable_x64`, `False` → `True`.",
    fix="Set it once at the start of the program; enter meshes and `with` blocks before warm-up, not after.",
    example_before="""
step(x)
with jax.default_matmul_precision("highest"):
    step(x)  # traced again
""",
    example_after="""
jax.config.update("jax_default_matmul_precision", "highest")
step(x)
step(x)
""",
)


def in_trace(evidence: TraceEvidence) -> tuple[Cause, ...]:
    """Holds for each setting that differs."""
    return tuple(
        Cause(slug=PAGE.slug, path=change.name, before=change.before, after=change.after)
        for change in evidence.change.context
    )


RULE = CauseRule(page=PAGE, in_trace=in_trace)
