"""Why one mask is enough for a softmax: what its steps make of padding that was ``-inf`` when the maximum was taken.

A softmax is ``s - max(s)``, ``exp``, a sum and a division, all along one line of elements. With ``-inf`` in the padding
of ``s``, the padding of the later steps is zero, or else it is NaN and so is every valid element of the line:

- ``-inf - m`` is ``-inf`` unless the greatest element ``m`` is ``-inf`` (then each valid element is ``-inf - -inf``) or
  NaN; ``exp(-inf)`` is zero.
- Each line of these weights has an element that is ``exp(0)``, or NaN; so their sum is about 1 or more, or NaN, and
  zero divided by it is zero, or NaN together with the whole line.

A sum along the line, or a product that sums along it, is then the same with the padding as without it. This holds for
the greatest element of *these* elements only, so a value remembers where it was defined; and it is said only of lines
that are not themselves padding along another axis.
"""

import dataclasses
import enum
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from stagelight.bucketing.dimensions import is_equal, is_symbolic
from stagelight.bucketing.padded_value import PaddedValue, is_same_value, lowest


class Stage(enum.Enum):
    """How far a softmax has come."""

    GREATEST = enum.auto()
    SHIFTED = enum.auto()
    WEIGHTS = enum.auto()
    TOTAL = enum.auto()
    SHARES = enum.auto()


@dataclasses.dataclass(frozen=True, slots=True)
class SoftmaxStep:
    """What a value is in a softmax.

    Attributes:
        stage: Which of its steps.
        axis: The axis of the normalized elements along which the softmax runs.
        origin: Where the elements were defined, for their greatest.
        places: For each axis of a greatest element or a total, the axis of the elements that it stands for; None where
            it repeats one value.
    """

    stage: Stage
    axis: int
    origin: Any = None
    places: tuple[int | None, ...] = ()


def has_weightless_padding(value: PaddedValue, axis: int) -> bool:
    """Whether padding along an axis is zero, or NaN where every valid element of its line is NaN as well."""
    step = value.step
    return step is not None and step.axis == axis and step.stage in (Stage.WEIGHTS, Stage.SHARES)


def step_after_mask(step: SoftmaxStep | None, axes: Sequence[int], *, is_zero: bool) -> SoftmaxStep | None:
    """What a value still is once its padding along some axes was replaced, by zero or by something else."""
    if step is None:
        return None
    if step.stage in (Stage.GREATEST, Stage.TOTAL):
        return None if any(step.places[axis] is None for axis in axes) else step
    if step.axis in axes and not (is_zero and step.stage in (Stage.WEIGHTS, Stage.SHARES)):
        return None
    return step


def step_after(equation: Any, operands: list[PaddedValue]) -> SoftmaxStep | None:
    """What the result of an equation is in a softmax, or None."""
    rule = _RULES.get(equation.primitive.name)
    return rule(equation, *operands) if rule is not None else None


def _greatest(equation: Any, elements: PaddedValue) -> SoftmaxStep | None:
    axes = tuple(map(int, equation.params["axes"]))
    if len(axes) != 1 or elements.origin is None or not _is_lowest(elements, axes[0]):
        return None
    places = tuple(axis for axis in range(len(elements.shape)) if axis not in axes)
    return SoftmaxStep(Stage.GREATEST, axes[0], elements.origin, places)


def _total(equation: Any, weights: PaddedValue) -> SoftmaxStep | None:
    axes = tuple(map(int, equation.params["axes"]))
    if weights.step is None or weights.step.stage is not Stage.WEIGHTS or axes != (weights.step.axis,):
        return None
    places = tuple(axis for axis in range(len(weights.shape)) if axis not in axes)
    return SoftmaxStep(Stage.TOTAL, axes[0], None, places)


def _shifted(_: Any, elements: PaddedValue, greatest: PaddedValue) -> SoftmaxStep | None:
    step = greatest.step
    if step is None or step.stage is not Stage.GREATEST or step.origin is not elements.origin:
        return None
    if not _is_lowest(elements, step.axis) or not _is_one_value_a_line(elements, greatest, step):
        return None
    return SoftmaxStep(Stage.SHIFTED, step.axis)


def _is_one_value_a_line(elements: PaddedValue, greatest: PaddedValue, step: SoftmaxStep) -> bool:
    """Whether each element meets the greatest of its own line."""
    places = step.places or (None,) * len(elements.shape)
    if len(places) != len(elements.shape):
        return False
    expected = (None if axis == step.axis else axis for axis in range(len(places)))
    return all(
        place == due or (due is not None and not is_symbolic(size) and int(size) == 1)
        for place, due, size in zip(places, expected, elements.shape, strict=True)
    )


def _weights(_: Any, shifted: PaddedValue) -> SoftmaxStep | None:
    step = shifted.step
    return SoftmaxStep(Stage.WEIGHTS, step.axis) if step is not None and step.stage is Stage.SHIFTED else None


def _shares(_: Any, weights: PaddedValue, total: PaddedValue) -> SoftmaxStep | None:
    if not (weights.step and total.step):
        return None
    if weights.step.stage is not Stage.WEIGHTS or total.step.stage is not Stage.TOTAL:
        return None
    axis, places = weights.step.axis, total.step.places
    if places and (len(places) != len(weights.shape) or places[axis] is not None):
        return None
    return SoftmaxStep(Stage.SHARES, axis)


def _not_below_lowest(_: Any, one: PaddedValue, other: PaddedValue) -> SoftmaxStep | None:
    """``max(-inf, m)`` is ``m``."""
    for bound, value in ((one, other), (other, one)):
        if value.step is not None and value.step.stage is Stage.GREATEST and _is_minus_infinity(bound.constant):
            return value.step
    return None


def _unchanged(_: Any, operand: PaddedValue) -> SoftmaxStep | None:
    return operand.step


def _broadcast(equation: Any, operand: PaddedValue, *_: PaddedValue) -> SoftmaxStep | None:
    step = operand.step
    if step is None or step.stage not in (Stage.GREATEST, Stage.TOTAL):
        return None
    shape = equation.outvars[0].aval.shape
    places: list[int | None] = [None] * len(shape)
    for axis, place in enumerate(equation.params["broadcast_dimensions"]):
        if is_equal(operand.shape[axis], shape[place]):
            places[place] = step.places[axis]
    return dataclasses.replace(step, places=tuple(places))


def _reshaped(equation: Any, operand: PaddedValue, *_: PaddedValue) -> SoftmaxStep | None:
    """Axes of length 1 may come and go."""
    step, shape = operand.step, equation.outvars[0].aval.shape
    if step is None or step.stage not in (Stage.GREATEST, Stage.TOTAL):
        return None
    before = [(size, place) for size, place in zip(operand.shape, step.places, strict=True) if not _is_one(size)]
    if [str(size) for size, _ in before] != [str(size) for size in shape if not _is_one(size)]:
        return None
    kept = iter(before)
    return dataclasses.replace(step, places=tuple(None if _is_one(size) else next(kept)[1] for size in shape))


def _is_one(size: Any) -> bool:
    return not is_symbolic(size) and int(size) == 1


def _is_lowest(elements: PaddedValue, axis: int) -> bool:
    is_float = jnp.issubdtype(elements.dtype, jnp.floating) and is_symbolic(elements.shape[axis])
    return is_float and is_same_value(elements.padding_of(axis), lowest(elements.dtype))


def _is_minus_infinity(value: Any) -> bool:
    return value is not None and np.asarray(value).dtype.kind == "f" and bool(value == -np.inf)


_RULES = {
    "reduce_max": _greatest,
    "max": _not_below_lowest,
    "sub": _shifted,
    "exp": _weights,
    "reduce_sum": _total,
    "div": _shares,
    "broadcast_in_dim": _broadcast,
    "reshape": _reshaped,
    **dict.fromkeys(("copy", "copy_p", "stop_gradient", "name"), _unchanged),
}
