"""Where the arguments of a call live, as records; texts are made once for each sharding."""

from collections.abc import Iterable
from typing import Any

from stagelight.adapters.tracers import tracer_type
from stagelight.model.placement import Placement

_MOST_KNOWN = 1024


class Placements:
    """Makes placement records of arrays, host values and tracers."""

    def __init__(self) -> None:
        self._tracer = tracer_type()
        self._shardings: dict[Any, tuple[str, str]] = {}

    def tracers(self, leaves: Iterable[Any]) -> tuple[str, ...]:
        """Types of the tracers among some leaves, sorted."""
        return tuple(sorted({type(x).__name__ for x in leaves if isinstance(x, self._tracer)}))

    def of_leaves(self, leaves: Iterable[Any]) -> tuple[tuple[Placement, ...], tuple[int, ...]]:
        """The distinct placements, and for each leaf which (empty where all share the first)."""
        distinct: dict[Placement, int] = {}
        which = [distinct.setdefault(self._of(x), len(distinct)) for x in leaves]
        return tuple(distinct), tuple(which) if len(distinct) > 1 else ()

    def _of(self, leaf: Any) -> Placement:
        if isinstance(leaf, self._tracer):
            return Placement("tracer", type(leaf).__name__)
        try:
            sharding, committed = leaf.sharding, bool(leaf.committed)
        except Exception:  # NumPy array, Python scalar, or a type of the user's that stands for one
            return Placement("host", type(leaf).__name__)
        text, devices = self._texts(sharding)
        return Placement("array", "", text, committed, layout_text(leaf), devices)

    def _texts(self, sharding: Any) -> tuple[str, str]:
        try:
            known = self._shardings.get(sharding)
        except TypeError:
            return sharding_texts(sharding)
        if known is None:
            if len(self._shardings) > _MOST_KNOWN:
                self._shardings.clear()
            known = self._shardings[sharding] = sharding_texts(sharding)
        return known


def sharding_texts(sharding: Any) -> tuple[str, str]:
    """The sharding and its devices, as texts."""
    devices = sorted(getattr(sharding, "device_set", ()), key=lambda d: d.id)
    names = ", ".join(str(d) for d in devices[:8]) + (f" and {len(devices) - 8} more" if len(devices) > 8 else "")
    kind = type(sharding).__name__
    if kind == "SingleDeviceSharding":
        return "single device", names
    if kind == "NamedSharding":
        axes = ", ".join(f"{n}={size}" for n, size in dict(sharding.mesh.shape).items())
        return f"{sharding.spec} on mesh ({axes})", names
    return " ".join(str(sharding).split())[:200], names


def layout_text(array: Any) -> str:
    """The layout of an array where it is not row-major, else empty."""
    try:
        order = array.format.layout.major_to_minor
    except Exception:  # deleted, or a backend without layouts
        return ""
    return "" if tuple(order) == tuple(range(len(order))) else f"major_to_minor={tuple(order)}"
