"""Where the arguments of an ahead-of-time lowering will live, as far as their shapes say it."""

from collections.abc import Iterable
from typing import Any

from stagelight.model.placement import Placement
from stagelight.recorder.placements import sharding_texts


def placements_of_shapes(leaves: Iterable[Any]) -> tuple[tuple[Placement, ...], tuple[int, ...]]:
    """The distinct placements, and for each leaf which (empty where all share the first).

    A structure without a sharding stands for an array that is not committed, which JAX puts on its default device.
    """
    distinct: dict[Placement, int] = {}
    which = [distinct.setdefault(placement_of_shape(leaf), len(distinct)) for leaf in leaves]
    return tuple(distinct), tuple(which) if len(distinct) > 1 else ()


def placement_of_shape(leaf: Any) -> Placement:
    """Where one argument will live."""
    import jax

    sharding = getattr(leaf, "sharding", None)
    committed = getattr(leaf, "committed", sharding is not None)
    if sharding is None or not committed:
        device = jax.config.jax_default_device or jax.devices()[0]
        return Placement("array", "", "single device", False, "", str(device))
    text, devices = sharding_texts(sharding)
    return Placement("array", "", text, True, _layout_text(leaf), devices)


def _layout_text(leaf: Any) -> str:
    order = getattr(getattr(getattr(leaf, "format", None), "layout", None), "major_to_minor", None)
    return "" if order is None or tuple(order) == tuple(range(len(order))) else f"major_to_minor={tuple(order)}"
