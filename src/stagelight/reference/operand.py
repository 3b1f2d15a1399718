"""Operands: arrays that hold a value, and tracers that stand for one.

Follows ``Tracer`` in ``jax/_src/core.py`` and the operators of ``jax/_src/numpy/array_methods.py``. Operators call
the NumPy-like namespace, which ``stagelight.reference`` hands to ``Operand.functions``.
"""

import operator
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NoReturn

import numpy as np

from stagelight.reference import staging_error as errors
from stagelight.reference.aval import Aval


def _method(name: str) -> Callable[..., Any]:
    return lambda self, *others, **options: getattr(self.functions, name)(self, *others, **options)


def _operator(name: str, *, swapped: bool = False) -> Callable[[Any, Any], Any]:
    def apply(self: Any, other: Any) -> Any:
        if isinstance(other, list | tuple | str) or other is None:
            return NotImplemented
        return getattr(self.functions, name)(*((other, self) if swapped else (self, other)))

    return apply


def _conversion(convert: Callable[[Any], Any], error: type[errors.StagingTypeError], says: str) -> Callable[[Any], Any]:
    """What Python asks a value for, where the value has to be known."""

    def apply(self: Any) -> Any:
        known = self.known()
        if known is None:
            raise error(f"{says} {self.described()}")
        return convert(known)

    return apply


class Operand:
    """What primitives are applied to; knows its aval, and has the operators and methods of an array."""

    __slots__ = ("__weakref__", "aval")
    __array_priority__ = 1000
    functions: ClassVar[Any] = None
    __hash__ = None  # type: ignore[assignment]  # as in JAX, so an array cannot be a static argument

    aval: Aval
    shape = property(lambda self: self.aval.shape)
    dtype = property(lambda self: self.aval.dtype)
    weak_type = property(lambda self: self.aval.weak_type)
    ndim = property(lambda self: len(self.aval.shape))
    size = property(lambda self: int(np.prod(self.aval.shape)))
    T = property(lambda self: self.functions.transpose(self))

    __add__, __radd__ = _operator("add"), _operator("add", swapped=True)
    __sub__, __rsub__ = _operator("subtract"), _operator("subtract", swapped=True)
    __mul__, __rmul__ = _operator("multiply"), _operator("multiply", swapped=True)
    __truediv__, __rtruediv__ = _operator("divide"), _operator("divide", swapped=True)
    __mod__, __rmod__ = _operator("remainder"), _operator("remainder", swapped=True)
    __pow__, __rpow__ = _operator("power"), _operator("power", swapped=True)
    __matmul__, __rmatmul__ = _operator("matmul"), _operator("matmul", swapped=True)
    __and__, __rand__ = _operator("bitwise_and"), _operator("bitwise_and", swapped=True)
    __or__, __ror__ = _operator("bitwise_or"), _operator("bitwise_or", swapped=True)
    __lt__, __le__ = _operator("less"), _operator("less_equal")
    __gt__, __ge__ = _operator("greater"), _operator("greater_equal")
    __eq__, __ne__ = _operator("equal"), _operator("not_equal")  # type: ignore[assignment]
    __neg__, __abs__, __invert__ = _method("negative"), _method("abs"), _method("invert")
    __getitem__ = _method("take_index")
    sum, mean, max, min, prod = (_method(name) for name in ("sum", "mean", "max", "min", "prod"))
    any, all, argmax, argmin, cumsum = (_method(name) for name in ("any", "all", "argmax", "argmin", "cumsum"))
    ravel, flatten, squeeze = _method("ravel"), _method("ravel"), _method("squeeze")
    astype, dot, clip = _method("astype"), _method("dot"), _method("clip")

    __bool__ = _conversion(bool, errors.TracerBoolConversionError, "Attempted boolean conversion of")
    __index__ = _conversion(operator.index, errors.TracerIntegerConversionError, "The __index__() method was called on")
    __int__, __float__, item, tolist = (
        _conversion(
            convert,
            errors.ConcretizationTypeError,
            "Abstract tracer value encountered where concrete value is expected:",
        )
        for convert in (int, float, np.ndarray.item, np.ndarray.tolist)
    )

    def known(self) -> Any:
        """The value as a NumPy array, or None where only the aval is known."""
        raise NotImplementedError

    def reshape(self, *shape: Any) -> Any:
        """The same elements in another shape, given as one tuple or as separate sizes."""
        return self.functions.reshape(self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: Any) -> Any:
        """The axes in another order."""
        return self.functions.transpose(self, axes[0] if len(axes) == 1 else axes or None)

    def __len__(self) -> int:
        if not self.aval.shape:
            raise errors.StagingTypeError("len() of unsized object")
        return self.aval.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.aval.shape:
            raise errors.StagingTypeError("iteration over a 0-d array")
        return iter(self.functions.unstack(self))

    def __setitem__(self, index: object, value: object) -> NoReturn:
        says = "JAX arrays are immutable and do not support in-place item assignment. Instead of x[idx] = y, use"
        raise errors.StagingTypeError(f"{says} x = x.at[idx].set(y).")

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(name) if name.startswith("_") else errors.refuse(f"the array attribute {name!r}")


class Array(Operand):
    """A value on the machine, with the weak flag that JAX would give it."""

    __slots__ = ("source", "value")

    def __init__(self, value: Any, *, weak_type: bool = False, source: Any = None) -> None:
        self.value = np.asarray(value)
        self.aval = Aval(self.value.shape, self.value.dtype, weak_type)
        # The Python or NumPy value this came from. It is converted without an equation, and a scalar is written into
        # equations as a literal; an array of the machine becomes a constant of the jaxpr instead.
        self.source = source

    @property
    def is_literal(self) -> bool:
        """Whether a jaxpr shows this value in place."""
        return self.source is not None and self.value.ndim == 0

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
        weak = ", weak_type=True" if self.weak_type else ""
        return f"Array({np.array2string(self.value, separator=', ')}, dtype={self.dtype}{weak})"


class Tracer(Operand):
    """Stands for a value under a transformation; ``trace`` says which, ``payload`` is that transformation's own."""

    __slots__ = ("payload", "trace")

    def __init__(self, trace: Any, aval: Aval, payload: Any) -> None:
        self.trace, self.aval, self.payload = trace, aval, payload

    def known(self) -> Any:
        """The value where the transformation has it (a gradient's forward pass does)."""
        return self.trace.known(self)

    def described(self) -> str:
        """What it stands for and where it comes from, for messages."""
        return f"traced array with shape {self.dtype}{list(self.shape)}.\n{self.trace.origin(self)}"

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        says = "The numpy.ndarray conversion method __array__() was called on"
        raise errors.TracerArrayConversionError(f"{says} {self.described()}")

    def __format__(self, specification: str) -> str:
        if specification:
            raise errors.StagingTypeError(f"unsupported format string passed to {type(self).__name__}.__format__")
        return str(self)

    def __repr__(self) -> str:
        return f"{self.trace.label}({'~' if self.weak_type else ''}{self.dtype}{list(self.shape)})"
