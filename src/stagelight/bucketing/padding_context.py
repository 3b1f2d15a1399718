"""One run of a jaxpr over padded arrays: capacities, run-time sizes, and the masks that rules ask for."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from stagelight.adapters.symbolic_equations import bind
from stagelight.adapters.symbolic_source import Line, source_line
from stagelight.bucketing.dimensions import has_symbolic, is_symbolic, run_time_size
from stagelight.bucketing.mask_plan import MaskPlan
from stagelight.bucketing.padded_value import Origin, PaddedValue, is_key_dtype, is_same_value
from stagelight.bucketing.softmax_steps import has_weightless_padding, step_after_mask
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
        plan: Which values to mask where they are defined.
        masked_loops: Whether a scan over a ragged axis runs its capacity, masked, instead of its true size.
    """

    def __init__(
        self,
        ranges: Ranges,
        sizes: Mapping[str, Any],
        interpret: Interpret,
        notes: ProgramNotes,
        plan: MaskPlan,
        *,
        masked_loops: bool = False,
    ) -> None:
        self.ranges = ranges
        self.notes = notes
        self.plan = plan
        self.equation: Any = None
        self.masked_loops = masked_loops
        self._sizes = sizes
        self._interpret = interpret
        self._enclosing: tuple[Any, ...] = ()
        self._capacities: dict[str, int] = {}
        self._size_of: dict[str, Any] = {}
        self._valid_of: dict[str, Any] = {}
        self._versions: dict[Origin | None, list[PaddedValue]] = {}

    def child(self) -> "PaddingContext":
        """A context for a function that JAX traces by itself: masks made inside it must not be used outside."""
        child = PaddingContext(
            self.ranges, self._sizes, self._interpret, self.notes, self.plan, masked_loops=self.masked_loops
        )
        child._versions = {origin: list(versions) for origin, versions in self._versions.items()}
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

    def mask(
        self,
        value: PaddedValue,
        axes: Iterable[int],
        neutral: Any,
        why: str,
        *,
        is_added: bool = False,
        is_stored: bool = False,
    ) -> PaddedValue:
        """A value whose padding along each of some axes is neutral; unchanged where it is already.

        Args:
            value: What is about to be mixed along the axes.
            axes: The axes that are mixed; those that are not ragged need nothing.
            neutral: A value that changes no result of the mixing; a scalar, also a traced one.
            why: One clause for the report.
            is_added: Whether elements are only added up, so that zero may have either sign, and padding may be NaN
                where all valid elements of its line are.
            is_stored: Whether the primitive reads the masked array from memory instead of making its elements anew.
        """

        def missing(known: PaddedValue) -> list[int]:
            return [axis for axis in ragged if not _is_neutral(known, axis, neutral, is_added=is_added)]

        ragged = [axis for axis in axes if is_symbolic(value.shape[axis])]
        known = min(self._versions_of(value), key=lambda version: len(missing(version)))
        needed = missing(known)
        if not needed:
            return known
        note = self._note_of([value.shape[axis] for axis in needed], _text_of(neutral), why)
        self.notes.masks.append(note)
        if known.origin is None:
            return self._masked(known, needed, neutral)
        if self.plan.is_open and _is_scalar(neutral) and neutral == neutral:
            self.plan.add(known.origin.variable, needed, neutral, note, is_stored=is_stored)
        masked = self._masked(known, needed, neutral)
        self._versions.setdefault(known.origin, []).append(masked)
        return masked

    def _masked(self, value: PaddedValue, axes: Sequence[int], neutral: Any) -> PaddedValue:
        array, valid = value.array, self.valid_lanes(value.shape, axes)
        neutral_array = neutral if is_key_dtype(value.dtype) else jnp.asarray(neutral, value.dtype)
        masked = lax.select(jnp.broadcast_to(valid, array.shape), array, jnp.broadcast_to(neutral_array, array.shape))
        kept = {a: known for a, known in value.known_padding().items() if _is_known(known, neutral)}
        known = dict.fromkeys(axes, neutral) if _is_scalar(neutral) else {}
        step = step_after_mask(value.step, axes, is_zero=_is_known(0, neutral))
        return PaddedValue(masked, value.shape, {**kept, **known}, origin=value.origin, step=step)

    def defined(self, variable: Any, value: PaddedValue) -> PaddedValue:
        """A value at its definition, masked as its uses will need it."""
        if not has_symbolic(value.shape):
            return value
        value = dataclasses.replace(value, origin=Origin(variable))
        for planned in self.plan.masks_of(variable):
            axes = [axis for axis in planned.axes if not _is_known(value.padding_of(axis), planned.neutral)]
            if axes:
                value = self._masked(value, axes, planned.neutral)
                self.notes.masks += planned.notes
                if planned.is_stored:
                    value = dataclasses.replace(value, array=lax.optimization_barrier(value.array))
        return value

    def newest(self, value: PaddedValue) -> PaddedValue:
        """The value as it was first masked since it was defined, so that no two versions of it are kept."""
        return next(iter(self._versions.get(value.origin, ())), value)

    def _versions_of(self, value: PaddedValue) -> list[PaddedValue]:
        return [value, *self._versions.get(value.origin, ())]

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
        self.notes.masks.append(self._note_of(dimensions, value, why))

    def _note_of(self, dimensions: Sequence[Any], value: str, why: str) -> Mask:
        line = source_line(self.equation)
        return Mask(
            primitive=self.equation.primitive.name,
            dimensions=tuple(map(str, dimensions)),
            value=value,
            file=line.file,
            line=line.line,
            why=why,
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


def _is_neutral(value: PaddedValue, axis: int, neutral: Any, *, is_added: bool) -> bool:
    known = value.padding_of(axis)
    if is_added and _is_known(0, neutral):
        return (known is not None and known == 0) or has_weightless_padding(value, axis)
    return _is_known(known, neutral)


def _is_known(known: Any, neutral: Any) -> bool:
    return _is_scalar(neutral) and is_same_value(known, neutral)


def _text_of(neutral: Any) -> str:
    return str(neutral) if _is_scalar(neutral) else "the initial value"
