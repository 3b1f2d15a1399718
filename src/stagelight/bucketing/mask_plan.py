"""Where masks go: at the definition of the value, not at each of its uses.

A rule asks for a mask where it mixes, but a value that is read masked here and unmasked there would be two arrays. So a
first run of a trace only collects what its rules ask for, and every later run masks a value as soon as it is defined,
where XLA fuses the mask into the loop that makes the value. Padding holds nothing of worth, so more of it may be masked
than one use asks for.
"""

import dataclasses
import threading
from collections.abc import Iterator
from typing import Any

from stagelight.model.bucket import Mask


@dataclasses.dataclass(slots=True)
class PlannedMask:
    """One neutral value for some axes of a value.

    Attributes:
        neutral: What padding becomes.
        axes: Along which axes.
        notes: What asked for it.
        is_stored: Whether one of those reads it from memory; without a barrier XLA may compute it once for each reader.
    """

    neutral: Any
    axes: list[int] = dataclasses.field(default_factory=list)
    notes: list[Mask] = dataclasses.field(default_factory=list)
    is_stored: bool = False


class MaskPlan:
    """The masks of one trace, by the variable whose value is masked.

    Attributes:
        is_open: Whether rules may still add to it.
        lock: Held while it is filled.
        expansions: For high-level equations the jaxpr that each stands for, so that its variables stay the same.
    """

    def __init__(self) -> None:
        self.is_open = True
        self.lock = threading.RLock()
        self.expansions: dict[int, tuple[Any, Any]] = {}
        self._of_variable: dict[Any, dict[Any, PlannedMask]] = {}

    def add(self, variable: Any, axes: list[int], neutral: Any, note: Mask, *, is_stored: bool) -> None:
        """A rule asked for a mask. An axis keeps the neutral value that is asked for first."""
        planned = self._of_variable.setdefault(variable, {})
        taken = {axis for mask in planned.values() for axis in mask.axes}
        free = [axis for axis in axes if axis not in taken]
        if free:
            mask = planned.setdefault(repr(neutral), PlannedMask(neutral))
            mask.axes += free
            mask.notes.append(note)
            mask.is_stored |= is_stored

    def masks_of(self, variable: Any) -> Iterator[PlannedMask]:
        """What to mask when a variable is defined."""
        return iter(() if self.is_open else self._of_variable.get(variable, {}).values())
