"""What a warm-up would have covered of a served run."""

from typing import Literal

import msgspec

from stagelight.model.lock import KeyPart
from stagelight.model.lock_change import PartChange
from stagelight.model.site import NOWHERE, Site


class KeyedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One distinct call, in words that mean the same in another process.

    Attributes:
        function: File and qualified name.
        traced: The parts that decide whether it is traced.
        placed: The parts that decide, beside those, whether it is compiled: where each leaf lives.
        call: From where it was first called.
    """

    function: str
    traced: tuple[KeyPart, ...]
    placed: tuple[KeyPart, ...] = ()
    call: Site = NOWHERE


class MissedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A served call that the warm-up did not cover.

    Attributes:
        call: The call.
        ledger: Whether it would have been traced, or only compiled.
        parts: In what it differs from the nearest warmed call; empty where its function was not warmed at all.
    """

    call: KeyedCall
    ledger: Literal["trace", "compile"]
    parts: tuple[PartChange, ...] = ()


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """A served run held against a warm-up.

    Attributes:
        covered: How many distinct calls the warm-up covered.
        missed: Those that it did not.
        unused: Warmed calls that nobody made.
    """

    covered: int
    missed: tuple[MissedCall, ...] = ()
    unused: tuple[KeyedCall, ...] = ()
