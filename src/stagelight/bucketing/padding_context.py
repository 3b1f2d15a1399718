"""One run of a jaxpr over padded arrays: capacities, run-time sizes, and the masks that rules ask for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from stagelight.adapters.symbolic_equations import bind
from stagelight.adapters.symbolic_source import Line, source_line
from stagelight.bucketing.dimensions import is_symbolic, run_time_size
from stagelight.bucketing.padded_value import PaddedValue, is_key_dtype, is_same_value
from stagelight.errors import BucketingRefused
from stagelight.model.bucket import Mask
from stagelight.sizes.bounds import Ranges, bounds

type Interpret = Callable[[PaddingContext, Any, Sequence[PaddedValue]], list[PaddedValue]]

# Beyond every capacity, so that a gather fills and a scatter drops.
OUT_OF_BOUNDS = np.int32(2**31 - 1)


class ProgramNotes:
    """What one run of a jaxpr met: masks, equations and primitives."""

    def __init__(self) -> None:
        self.masks: list[Mask] = []
        self.equations = 0
        self.ragged_equations = 0
        self.primitives: set[str] = set()

    def clear(self) -> None:
        """Forget everything: the program is traced again."""
        self.__init__()


class PaddingContext:
    """What a rule may ask: capacities, true sizes, and masks.

    Args:
        ranges: For each dimension name, the least size and the capacity.
        sizes: For each dimension name, its true size as a run-time ``int32``.
        interpret: Runs an inner jaxpr.
        notes: Where masks are written down.
        masked_loops: Whether a scan over a ragged axis runs its capacity, masked, instead of its true size.
    """

    def __init__(
        self,
        ranges: Ranges,
        sizes: Mapping[str, Any],
        interpret: Interpret,
        notes: ProgramNotes,
        *,
        masked_loops: bool = False,
    ) -> None:
        self.ranges = ranges
        self.notes = notes
        self.equation: Any = None
        self.masked_loops = masked_loops
        self._sizes = sizes
        self._interpret = interpret
        self._enclosing: tuple[Any, ...] = ()
        self._capacities: dict[str, int] = {}
        self._size_of: dict[str, Any] = {}
        self._valid_of: dict[str, Any] = {}

    def child(self) -> "PaddingContext":
        """A context for a function that JAX traces by itself: masks made inside it must not be used outside."""
        child = PaddingContext(self.ranges, self._sizes, self._interpret, self.notes, masked_loops=self.masked_loops)
        child.equation = self.equation
        child._enclosing = self._enclosing
        return child

    def entered(self, equation: Any) -> "PaddingContext":
        """This context, now at an equation."""
        self._enclosing = (*self._enclosing, equation)
        self.equation = equation
        return self

    def left(self) -> None:
        """Back to the enclosing equation."""
        self._enclosing = self._enclosing[:-1]
        self.equation = self._enclosing[-1] if self._enclosing else None

    # Shapes

    def bounds(self, dimension: Any) -> tuple[int, int]:
        """The least and the greatest size of a dimension in this bucket."""
        return bounds(str(dimension), self.ranges) if is_symbolic(dimension) else (int(dimension), int(dimension))

    def capacity(self, dimension: Any) -> int:
        """The physical size of a dimension."""
        if not is_symbolic(dimension):
            return int(dimension)
        text = str(dimension)
        if text not in self._capacities:
            self._capacities[text] = max(0, self.bounds(dimension)[1])
        return self._capacities[text]

    def capacities(self, shape: Sequence[Any]) -> tuple[int, ...]:
        """The physical shape of a logical one."""
        return tuple(self.capacity(dimension) for dimension in shape)

    def size(self, dimension: Any) -> Any:
        """The true size of a dimension: an integer, or a run-time ``int32``."""
        if not is_symbolic(dimension):
            return int(dimension)
        text = str(dimension)
        if text not in self._size_of:
            self._size_of[text] = jnp.asarray(run_time_size(dimension, self._sizes), jnp.int32)
        return self._size_of[text]

    def size_array(self, dimension: Any) -> Any:
        """The true size of a dimension as an ``int32`` array in either case."""
        return jnp.asarray(self.size(dimension), jnp.int32)

    # Masks

    def mask(self, value: PaddedValue, axes: Iterable[int], neutral: Any, why: str) -> PaddedValue:
        """A value whose padding along each of some axes is neutral; unchanged where it is already.

        Args:
            value: What is about to be mixed along the axes.
            axes: The axes that are mixed; those that are not ragged need nothing.
            neutral: A value that changes no result of the mixing; a scalar, also a traced one.
            why: One clause for the report.
        """
        needed = [a for a in axes if is_symbolic(value.shape[a]) and not _is_known(value.padding_of(a), neutral)]
        if not needed:
            return value
        array, valid = value.array, self.valid_lanes(value.shape, needed)
        neutral_array = neutral if is_key_dtype(value.dtype) else jnp.asarray(neutral, value.dtype)
        masked = lax.select(jnp.broadcast_to(valid, array.shape), array, jnp.broadcast_to(neutral_array, array.shape))
        self.note([value.shape[axis] for axis in needed], _text_of(neutral), why)
        kept = {a: known for a, known in value.known_padding().items() if _is_known(known, neutral)}
        known = dict.fromkeys(needed, neutral) if _is_scalar(neutral) else {}
        return PaddedValue(masked, value.shape, {**kept, **known})

    def keep_outside(self, new: Any, old: Any, shape: Sequence[Any], axes: Sequence[int], why: str) -> Any:
        """The new elements where they are valid, and the old ones in the padding."""
        valid = jnp.broadcast_to(self.valid_lanes(shape, axes), new.shape)
        self.note([shape[axis] for axis in axes], "kept", why)
        return lax.select(valid, new, old)

    def drop_padding(self, columns: list[Any], shape: Sequence[Any], axes: Sequence[int], why: str) -> list[Any]:
        """Index columns whose padding points out of bounds, so that it is dropped."""
        valid = self.valid_lanes(shape, axes)
        self.note([shape[axis] for axis in axes], "dropped", why)
        return [jnp.where(valid, column, jnp.asarray(OUT_OF_BOUNDS, column.dtype)) for column in columns]

    def valid_lanes(self, shape: Sequence[Any], axes: Sequence[int]) -> Any:
        """Booleans that are true inside the valid box of some axes; the other axes have length 1."""
        valid = None
        for axis in axes:
            lengths = tuple(self.capacity(size) if a == axis else 1 for a, size in enumerate(shape))
            along = lax.broadcast_in_dim(self.is_valid(shape[axis]), lengths, (axis,))
            valid = along if valid is None else jnp.logical_and(valid, along)
        return valid

    def is_valid(self, dimension: Any) -> Any:
        """``bool[capacity]``: which indices of a dimension are real."""
        text = str(dimension)
        if text not in self._valid_of:
            self._valid_of[text] = lax.iota(jnp.int32, self.capacity(dimension)) < self.size(dimension)
        return self._valid_of[text]

    def note(self, dimensions: Sequence[Any], value: str, why: str) -> None:
        """Write a mask down with the user's line."""
        line = source_line(self.equation)
        self.notes.masks.append(
            Mask(
                primitive=self.equation.primitive.name,
                dimensions=tuple(map(str, dimensions)),
                value=value,
                file=line.file,
                line=line.line,
                why=why,
            )
        )

    # Results

    def bind(self, *arrays: Any, **changed: Any) -> list[Any]:
        """Run the equation's own primitive on padded arrays, some parameters changed."""
        return bind(self.equation, arrays, changed)

    def result(
        self, array: Any, index: int = 0, padding: Mapping[int, Any] | None = None, constant: Any = None
    ) -> PaddedValue:
        """One result of the equation: its logical shape is the traced one."""
        shape = tuple(self.equation.outvars[index].aval.shape)
        kept = {a: known for a, known in (padding or {}).items() if known is not None and is_symbolic(shape[a])}
        return PaddedValue(array, shape, kept, constant)

    def results(self, arrays: Iterable[Any]) -> list[PaddedValue]:
        """All results of the equation, with padding that nothing is known of."""
        return [self.result(array, index) for index, array in enumerate(arrays)]

    def interpret(self, jaxpr: Any, operands: Sequence[PaddedValue]) -> list[PaddedValue]:
        """Run an inner jaxpr."""
        return self._interpret(self, jaxpr, operands)

    def refusal(self, why: str) -> BucketingRefused:
        """An error that names the primitive, the user's line and what to do instead."""
        lines = map(source_line, reversed(self._enclosing))
        line = next((line for line in lines if line.file), Line())
        return BucketingRefused(refusal_message(self.equation.primitive.name, why, line))


def refusal_message(primitive: str, why: str, line: Line) -> str:
    """The message of a refused primitive."""
    where = f"{line.file}:{line.line} ({line.function})" if line.file else "an unknown line"
    return (
        f"no padding-safe rule for the primitive {primitive!r}: {why}.\n"
        f"  at {where}\n"
        f"  Keep this operation off ragged axes, or pass on_unsupported='exact' to compile such calls once per size."
    )


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (np.generic, int, float, bool, complex))


def _is_known(known: Any, neutral: Any) -> bool:
    return _is_scalar(neutral) and is_same_value(known, neutral)


def _text_of(neutral: Any) -> str:
    return str(neutral) if _is_scalar(neutral) else "the initial value"
