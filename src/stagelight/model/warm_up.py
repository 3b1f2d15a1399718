"""What a warm-up did."""

from typing import Literal

import msgspec

type WarmOutcome = Literal["compiled", "same executable", "failed", "not rebuilt"]


class WarmedCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call of a warm-up.

    Attributes:
        function: Name of the function.
        arguments: The avals and static arguments, as text.
        outcome: ``compiled`` (or found compiled), ``same executable`` as an earlier call of this warm-up, ``failed``,
            or ``not rebuilt`` from what was recorded.
        reason: Why it failed or was not rebuilt.
        seconds: Trace, lowering and compile, as they were waited for.
    """

    function: str
    arguments: str
    outcome: WarmOutcome
    reason: str = ""
    seconds: float = 0.0


class WarmUp(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All calls of a warm-up, in the order in which they were given.

    Attributes:
        calls: One for each.
        wall_s: How long it took.
        cpu_s: Processor time of this process in that time; more than ``wall_s`` where several cores worked.
    """

    calls: tuple[WarmedCall, ...] = ()
    wall_s: float = 0.0
    cpu_s: float = 0.0
