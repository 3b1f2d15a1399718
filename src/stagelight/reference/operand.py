"""Operands: arrays that hold a value, and tracers that stand for one.

Follows ``Tracer`` in ``jax/_src/core.py`` and the operators of ``jax/_src/numpy/array_methods.py``. Operators and
methods call the NumPy-like namespace, which ``stagelight.reference`` hands to ``Operand.functions``.
"""

import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NoReturn

import numpy as np

from stagelight.reference import staging_error as errors
from stagelight.reference.aval import Aval

# Each operator of Python, and the function of the namespace it calls; the last ones have a swapped form too.
_ONE_SIDED = "neg=negative abs=abs invert=invert getitem=take_index"
_COMPARISONS = "lt=less le=less_equal gt=greater ge=greater_equal eq=equal ne=not_equal"
_TWO_SIDED = "add=add sub=subtract mul=multiply truediv=divide pow=power matmul=matmul and=bitwise_and or=bitwise_or"


def _operator(name: str, *, swapped: bool = False) -> Callable[..., Any]:
    def apply(self: Any, *others: Any) -> Any:
        if name != "take_index" and any(other is None or isinstance(other, list | tuple | str) for other in others):
            return NotImplemented
        return getattr(self.functions, name)(*((*others, self) if swapped else (self, *others)))

    return apply


def _conversion(convert: Callable[[Any], Any], error: type[errors.StagingTypeError], says: str) -> Callable[[Any], Any]:
    """What Python asks a value for, where the value has to be known."""

    def apply(self: Any) -> Any:
        if self.known() is None:
            raise error(f"{says} {self.described()}")
        return convert(self.known())

    return apply


class Operand:
    """What primitives are applied to; knows its aval, and has the operators and methods of an array."""

    __array_priority__ = 1000
    functions: ClassVar[Any] = None
    __hash__ = None  # type: ignore[assignment]  # as in JAX, so an array cannot be a static argument

    aval: Aval
    shape, dtype, weak_type = (property(operator.attrgetter(f"aval.{name}")) for name in Aval._fields)
    ndim = property(lambda self: len(self.aval.shape))
    size = property(lambda self: int(np.prod(self.aval.shape)))
    T = property(lambda self: self.functions.transpose(self))

    __bool__ = _conversion(bool, errors.TracerBoolConversionError, "Attempted boolean conversion of")
    __index__ = _conversion(operator.index, errors.TracerIntegerConversionError, "The __index__() method was called on")
    __int__, __float__, item, tolist = (
        _conversion(convert, errors.ConcretizationTypeError, "A concrete value is needed, and there is only a")
        for convert in (int, float, np.ndarray.item, np.ndarray.tolist)
    )

    def reshape(self, *shape: Any) -> Any:
        """The same elements in another shape, given as one tuple or as separate sizes."""
        return self.functions.reshape(self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: Any) -> Any:
        """The axes in another order."""
        return self.functions.transpose(self, axes[0] if len(axes) == 1 else axes or None)

    def __len__(self) -> int:
        errors.require(self.aval.shape, "len() of unsized object")
        return self.aval.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.functions.unstack(self))

    def __setitem__(self, index: object, value: object) -> NoReturn:
        raise errors.StagingTypeError("JAX arrays are immutable. Instead of x[idx] = y, use x = x.at[idx].set(y).")

    def __getattr__(self, name: str) -> Any:
        if name in ("sum", "mean", "max", "min", "any", "all", "ravel", "squeeze", "astype", "dot"):
            return functools.partial(getattr(self.functions, name), self)
        raise AttributeError(name) if name.startswith("_") else errors.NotModelledError(f"the array attribute {name!r}")


for _operators, _prefix in ((_ONE_SIDED, ""), (_COMPARISONS, ""), (_TWO_SIDED, "r")):
    for _name, _, _function in (_entry.partition("=") for _entry in _operators.split()):
        setattr(Operand, f"__{_prefix}{_name}__", _operator(_function, swapped=True))
        setattr(Operand, f"__{_name}__", _operator(_function))


class Array(Operand):
    """A value on the machine, with the weak flag that JAX would give it."""

    def __init__(self, value: Any, *, weak_type: bool = False, source: Any = None) -> None:
        self.value = np.asarray(value)
        self.aval = Aval(self.value.shape, self.value.dtype, weak_type)
        # The Python or NumPy value this came from. It is converted without an equation, and a scalar is written into
        # equations as a literal; an array of the machine becomes a constant of the jaxpr instead.
        self.source = source

    def known(self) -> Any:
        """The value."""
        return self.value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.value, dtype=dtype)

    def __format__(self, specification: str) -> str:
        return format(self.value[()] if self.value.ndim == 0 else str(self.value), specification)

    def __str__(self) -> str:
        return str(self.value)

    def __repr__(self) -> str:
        weak = ", weak_type=True" * self.weak_type
        return f"Array({np.array2string(self.value, separator=', ')}, dtype={self.dtype}{weak})"


class Tracer(Operand):
    """Stands for a value under a transformation; ``trace`` says which, ``payload`` is that transformation's own."""

    def __init__(self, trace: Any, aval: Aval, payload: Any) -> None:
        self.trace, self.aval, self.payload = trace, aval, payload

    def known(self) -> Any:
        """The value where the transformation has it (a gradient's forward pass does)."""
        return self.trace.known(self)

    def described(self) -> str:
        """What it stands for and where it comes from, for messages."""
        return f"traced array with shape {self.dtype}{list(self.shape)}.\n{self.trace.origin(self)}"

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise errors.TracerArrayConversionError(f"The conversion method __array__() was called on {self.described()}")

    def __repr__(self) -> str:
        return f"{type(self.trace).__name__}r({'~' if self.weak_type else ''}{self.dtype}{list(self.shape)})"
