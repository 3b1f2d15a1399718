"""``device-changed``: an argument lives on another device."""

from stagelight.attribution.evidence import CompileEvidence
from stagelight.attribution.page import Page
from stagelight.attribution.rule import CauseRule
from stagelight.model.attribution import Cause

PAGE = Page(
    slug="device-changed",
    group="cause",
    ledgers=("compile",),
    title="An argument lives on another device",
    meaning=(
        "An executable belongs to the devices that it was compiled for. The same call with data on another device "
        "is lowered once and compiled for each."
    ),
    evidence="The leaf's path, and its device before and after.",
    fix="Keep a function on one device, or spread one call over all devices with a sharding.",
    example_before="""
for device in jax.devices():
    step(jax.device_put(x, device))  # compiled for each device
""",
    example_after="""
mesh = jax.make_mesh((jax.device_count(),), ("rows",))
step(jax.device_put(x, NamedSharding(mesh, PartitionSpec("rows"))))
""",
)


def in_compile(evidence: CompileEvidence) -> tuple[Cause, ...]:
    """Holds for each leaf on other devices."""
    return tuple(
        Cause(slug=PAGE.slug, path=change.path, before=change.before, after=change.after)
        for change in evidence.placements
        if change.kind == "device"
    )


RULE = CauseRule(page=PAGE, in_compile=in_compile)
