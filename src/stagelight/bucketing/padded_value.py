"""What is known of an array whose ragged axes are padded."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stagelight.bucketing.dimensions import symbolic_axes


class Origin:
    """The definition of one value in one run, told apart by identity.

    Attributes:
        variable: The variable of the jaxpr that was defined.
    """

    __slots__ = ("variable",)

    def __init__(self, variable: Any) -> None:
        self.variable = variable


@dataclasses.dataclass(frozen=True, slots=True)
class PaddedValue:
    """A physical array with the logical shape it stands for.

    The valid box, ``index[a] < size(shape[a])`` on every axis, holds exactly the unpadded result. Everything else is
    padding: NaN, infinities or huge integers, unless stated here.

    Attributes:
        array: The physical array; each ragged axis has the capacity of its dimension.
        shape: The logical shape: integers, and symbolic dimensions where an axis is ragged.
        padding: For some ragged axes the value of *every* element beyond the axis's size, whatever its other indices.
            Kept by axis, because a reduction needs only its own axis to be neutral.
        constant: The value of all elements, padding included, where it is known.
        origin: Where it was defined; values of one origin differ in their padding alone. None where that is not kept.
        step: What it is in a softmax, if anything.
    """

    array: Any
    shape: tuple[Any, ...]
    padding: Mapping[int, Any] = dataclasses.field(default_factory=dict)
    constant: Any = None
    origin: Origin | None = None
    step: Any = None

    @property
    def dtype(self) -> Any:
        """The dtype of the array."""
        return self.array.dtype if hasattr(self.array, "dtype") else jnp.result_type(self.array)

    def padding_of(self, axis: int) -> Any:
        """The value beyond an axis's size, or None where it is unknown."""
        return self.padding.get(axis) if self.constant is None else self.constant

    def known_padding(self) -> dict[int, Any]:
        """The value beyond the size of each ragged axis for which it is known."""
        if self.constant is None:
            return dict(self.padding)
        return dict.fromkeys(symbolic_axes(self.shape), self.constant)


def is_key_dtype(dtype: Any) -> bool:
    """Whether elements are random keys, which have no arithmetic."""
    return jnp.issubdtype(dtype, jax.dtypes.prng_key)


def zero(dtype: Any) -> Any:
    """Zero as a NumPy scalar."""
    return np.zeros((), dtype)[()]


def one(dtype: Any) -> Any:
    """One as a NumPy scalar."""
    return np.ones((), dtype)[()]


def all_bits(dtype: Any) -> Any:
    """The neutral element of a bitwise and."""
    return np.True_ if np.dtype(dtype) == np.bool_ else np.array(-1).astype(dtype)[()]


def lowest(dtype: Any) -> Any:
    """The least value of an ordered dtype, or None where it has no order."""
    if jnp.issubdtype(dtype, jnp.floating):
        return np.array(-np.inf, dtype)[()]
    if np.dtype(dtype) == np.bool_:
        return np.False_
    return np.array(jnp.iinfo(dtype).min, dtype)[()] if jnp.issubdtype(dtype, jnp.integer) else None


def highest(dtype: Any) -> Any:
    """The greatest value of an ordered dtype, or None where it has no order."""
    if jnp.issubdtype(dtype, jnp.floating):
        return np.array(np.inf, dtype)[()]
    if np.dtype(dtype) == np.bool_:
        return np.True_
    return np.array(jnp.iinfo(dtype).max, dtype)[()] if jnp.issubdtype(dtype, jnp.integer) else None


def is_same_value(one: Any, other: Any) -> bool:
    """Whether two scalars are equal, signs of zero included; False where either is unknown or NaN."""
    if one is None or other is None:
        return False
    return bool(one == other) and _is_negative(one) == _is_negative(other)


def _is_negative(value: Any) -> bool:
    return jnp.issubdtype(np.result_type(value), jnp.floating) and bool(np.signbit(value))


def same_padding(values: list[PaddedValue], axis: int) -> Any:
    """The value that all of these have beyond the size of an axis, or None."""
    first = values[0].padding_of(axis)
    return first if all(is_same_value(value.padding_of(axis), first) for value in values) else None


def known_beside_zeros(padding: Mapping[int, Any]) -> dict[int, Any]:
    """The known padding that still holds after zeros were put beside an array on another axis."""
    return {axis: known for axis, known in padding.items() if is_same_value(known, 0)}
