"""Calls of bucketed functions, heard through the public events that they announce themselves with."""

from collections.abc import Mapping
from typing import Any

from stagelight.model.event import BucketedCall

IN_A_BUCKET = "bucketed/call"
EXACTLY = "bucketed/exact"
LOOKING = "bucketed/looking"
BUCKETING = "bucketing"
"""What surrounds a call while Stagelight traces a function with symbolic sizes, or unpadded for comparison."""


def bucketed_call(name: str, details: Mapping[str, Any], at_s: float) -> BucketedCall | None:
    """The entry for an announcement, or ``None`` for one of another kind.

    >>> bucketed_call("bucketed/call", {"function": "loss", "bucket": "b=16,t=32"}, 0.5).capacities
    (('b', 16), ('t', 32))
    """
    function = str(details.get("function", ""))
    if name == IN_A_BUCKET:
        return BucketedCall(at_s=at_s, name=function, capacities=extents_from_text(str(details.get("bucket", ""))))
    if name == EXACTLY:
        return BucketedCall(at_s=at_s, name=function, sizes=extents_from_text(str(details.get("sizes", ""))))
    return None


def extents_from_text(text: str) -> tuple[tuple[str, int], ...]:
    """Extents by name from a text such as ``b=16,t=32``."""
    pairs = (part.partition("=") for part in text.split(",") if part)
    return tuple((name, int(extent)) for name, _, extent in pairs if extent.isdigit())
