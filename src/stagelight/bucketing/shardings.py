"""``in_shardings``: how padded arguments are placed on a mesh, which their capacities must divide."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from jax.sharding import NamedSharding

from stagelight.bucketing.arguments import Layout, Slot
from stagelight.bucketing.declaration import RaggedAxis, text_of_path
from stagelight.errors import UsageError
from stagelight.sizes.expression import parse


def by_argument(in_shardings: Any, layout: Layout) -> tuple[Any, ...] | None:
    """One sharding, or prefix of shardings, for each dynamic argument; None leaves an argument where it is.

    Args:
        in_shardings: A tuple by position, a dict by parameter name, or one sharding for all arguments.
        layout: The arguments of the call.
    """
    if in_shardings is None:
        return None
    slots = [layout.slots[place] for place in layout.dynamic]
    if isinstance(in_shardings, Mapping):
        known = {slot.parameter for slot in layout.slots}
        unknown = [name for name in in_shardings if name not in known]
        if unknown:
            message = f"in_shardings names {unknown[0]!r}, which is not an argument of this call"
            raise UsageError(message)
        return tuple(in_shardings.get(slot.parameter) for slot in slots)
    if isinstance(in_shardings, (tuple, list)):
        if len(in_shardings) != len(slots):
            message = f"in_shardings has {len(in_shardings)} entries for {len(slots)} arguments"
            raise UsageError(message)
        return tuple(in_shardings)
    return (in_shardings,) * len(slots)


def check_capacities(shardings: Sequence[Any] | None, layout: Layout, capacities: Mapping[str, int]) -> None:
    """Refuse capacities that do not divide over the devices of the axis that they are split over.

    Raises:
        UsageError: One does not; names the argument, the capacity and a bucket policy that fits.
    """
    for place, sharding in zip(layout.dynamic, shardings or (), strict=False):
        slot = layout.slots[place]
        for axes in slot.axes_of_structure.values():
            for axis in (axis for leaf_axes in axes for axis in leaf_axes):
                _check_axis(slot, axis, sharding, capacities)


def _check_axis(slot: Slot, axis: RaggedAxis, sharding: Any, capacities: Mapping[str, int]) -> None:
    if not isinstance(sharding, NamedSharding) or not 0 <= axis.axis < len(sharding.spec):
        return
    split_over = sharding.spec[axis.axis]
    names = (split_over,) if isinstance(split_over, str) else tuple(split_over or ())
    parts = math.prod(sharding.mesh.shape[name] for name in names)
    capacity = parse(axis.text).evaluate(capacities)
    if capacity % parts:
        message = (
            f"axis {axis.axis} of {text_of_path(slot.parameter, slot.prefix)} has the capacity {capacity}, which does "
            f"not divide over {parts} devices; use buckets whose capacities do, such as multiples({parts})"
        )
        raise UsageError(message)
