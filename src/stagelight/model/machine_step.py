"""What the reference machine did in one call, step by step."""

from typing import Literal

import msgspec

MachinePhase = Literal["split", "flatten", "abstract", "key", "look up", "trace", "hit", "run"]
MachineOutcome = Literal["traced", "hit", "fast path", "failed", "refused"]


class MachinePart(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a step: an argument, a leaf, a part of the cache key.

    ``before`` is what the nearest earlier key of the function had in its place, where that is something else.
    """

    name: str
    value: str
    before: str | None = None


class MachineStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a call, in the order in which staging takes them."""

    phase: MachinePhase
    says: str
    parts: tuple[MachinePart, ...] = ()


class MachineCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a staged function on the machine.

    ``outcome`` is ``traced`` (the Python function ran), ``hit`` (the tracing cache had the key), ``fast path`` (the
    call never left it), ``failed`` (the call raises ``error``) or ``refused`` (the machine does not model something it
    met).
    """

    function: str
    outcome: MachineOutcome
    steps: tuple[MachineStep, ...]
    jaxpr: str = ""
    result: str = ""
    error: str = ""

    @property
    def differing(self) -> tuple[MachinePart, ...]:
        """The parts of the key in which this call differs from the nearest earlier one."""
        parts = [part for step in self.steps if step.phase == "key" for part in step.parts]
        return tuple(part for part in parts if part.before is not None)


class JaxCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What JAX did with the same call.

    ``traced`` tells whether the Python function ran; ``structure`` and ``avals`` are JAX's own texts of the dynamic
    arguments; ``error`` is the type and first line of what was raised.
    """

    traced: bool
    structure: str = ""
    avals: tuple[str, ...] = ()
    jaxpr: str = ""
    error: str = ""


class ComparedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call on the machine and on JAX.

    ``agrees`` tells whether both traced, hit or raised alike with the same equations; ``notes`` name what the machine
    does not model, and where both print the same program differently.
    """

    call: str
    machine: MachineCall
    jax: JaxCall
    agrees: bool
    notes: tuple[str, ...] = ()


class MachineComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of one function, taken in order, on the machine and on JAX; neither ran the program they traced."""

    function: str
    jax_version: str
    calls: tuple[ComparedCall, ...]
