"""Avals: the shape, dtype and weak type of a value, and the promotion of dtypes.

Follows ``shaped_abstractify`` in ``jax/_src/core.py``, and ``_type_promotion_lattice`` and ``lattice_result_type`` in
``jax/_src/dtypes.py``. bfloat16, complex numbers, PRNG keys and sub-byte types are refused.
"""

from typing import Any, NamedTuple

import numpy as np

from stagelight.reference.staging_error import StagingOverflowError, StagingTypeError, StagingValueError, refuse
from stagelight.reference.trace_context import current_context

_SHORT = {"float": "f", "int": "i", "uint": "u"}
_WITHOUT_X64 = {"int64": "int32", "uint64": "uint32", "float64": "float32"}
_SCALARS = {bool: "bool", int: "int64", float: "float64"}
_WEAK_NODES = {"b": "bool", "i": "int*", "u": "int*", "f": "float*"}

# Each dtype and the ones directly above it; "int*" and "float*" are the weak types of Python scalars.
_LATTICE = (
    "bool < int*; int* < uint8 int8; uint8 < int16 uint16; uint16 < int32 uint32; uint32 < int64 uint64; "
    "uint64 < float*; int8 < int16; int16 < int32; int32 < int64; int64 < float*; float* < float16; "
    "float16 < float32; float32 < float64; float64 <"
)
_ABOVE = {low.strip(): (*high.split(),) for low, _, high in (edge.partition("<") for edge in _LATTICE.split(";"))}
DTYPE_NAMES = tuple(name for name in _ABOVE if not name.endswith("*"))
# Under strict promotion only a weak type gives way to a dtype.
_ABOVE_STRICT = {
    **dict.fromkeys(DTYPE_NAMES, ()),
    "int*": ("float*", *(d for d in DTYPE_NAMES if "int" in d)),
    "float*": tuple(d for d in DTYPE_NAMES if "float" in d),
}


class Aval(NamedTuple):
    """What tracing knows of a value.

    >>> print(Aval((2, 3), np.dtype("float32")), Aval((), np.dtype("bool")))
    f32[2,3] bool[]
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    weak_type: bool = False

    def __str__(self) -> str:
        """JAX's notation, which leaves the weak flag out."""
        letters = self.dtype.name.rstrip("0123456789")
        name = _SHORT.get(letters, letters) + self.dtype.name.removeprefix(letters)
        return f"{name}[{','.join(map(str, self.shape))}]"

    @property
    def strong(self) -> "Aval":
        """This aval without the weak flag; carries and branches are compared by it."""
        return self._replace(weak_type=False)

    @property
    def is_inexact(self) -> bool:
        """Whether it has gradients."""
        return self.dtype.kind == "f"


def canonical_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype JAX would give: 64 bits become 32 unless x64 is enabled."""
    dtype = dtype if isinstance(dtype, type) else getattr(dtype, "dtype", dtype)
    known: Any = _SCALARS.get(dtype, dtype)
    if str(getattr(dtype, "name", known)).startswith("key<"):
        raise refuse(f"the dtype {dtype}")
    known = np.dtype(known)
    if known.name not in DTYPE_NAMES:
        raise refuse(f"the dtype {known}")
    return known if current_context().enable_x64 else np.dtype(_WITHOUT_X64.get(known.name, known.name))


def aval_of(value: Any) -> Aval:
    """The aval of an argument or operand, read from its type and metadata alone.

    Raises:
        StagingTypeError: for what is not an array, a NumPy value or a Python number.
        StagingOverflowError: for a Python integer that does not fit its dtype.
    """
    aval = getattr(value, "aval", value)  # an operand of the machine, or an array of JAX itself
    if isinstance(aval, Aval):
        return aval
    if type(value) in _SCALARS:
        dtype = canonical_dtype(type(value))
        if type(value) is int and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
            raise StagingOverflowError(f"Python int {value} too large to convert to {dtype}")
        return Aval((), dtype, type(value) is not bool)
    if isinstance(value, complex):
        raise refuse("complex numbers")
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind not in "biufc":
        raise StagingTypeError(f"Value of dtype {value.dtype} is not a valid JAX array type")
    if aval is value and not isinstance(value, np.ndarray | np.generic) and type(value).__name__ != "ShapeDtypeStruct":
        raise StagingTypeError(f"Value {value!r} of type {type(value)} is not a valid JAX type")
    return Aval(tuple(aval.shape), canonical_dtype(aval.dtype), bool(getattr(aval, "weak_type", False)))


def _bounds(node: str, above: dict[str, tuple[str, ...]]) -> set[str]:
    return {node}.union(*(_bounds(higher, above) for higher in above[node]))


def _least_upper_bound(nodes: set[str]) -> str:
    context = current_context()
    above = _ABOVE_STRICT if context.numpy_dtype_promotion == "strict" else _ABOVE
    if above is _ABOVE and not context.enable_x64:
        above = {**_ABOVE, "uint32": ("int32", "uint64")}  # no 64-bit type comes of 32-bit ones
    common = set.intersection(*(_bounds(node, above) for node in nodes))
    least = [node for node in common if common <= _bounds(node, above)]
    if len(least) != 1:
        raise StagingValueError(
            f"Input dtypes {tuple(sorted(nodes))} have no available implicit dtype promotion path when "
            f"jax_numpy_dtype_promotion={context.numpy_dtype_promotion}. Cast the inputs to one dtype explicitly."
        )
    return least[0]


def promoted(*avals: Aval) -> tuple[np.dtype[Any], bool]:
    """The dtype and weak flag that these operands get together.

    >>> promoted(Aval((3,), np.dtype("int32")), Aval((), np.dtype("float32"), True))
    (dtype('float32'), True)
    """
    dtypes = {aval.dtype.name for aval in avals}
    if len(avals) == 1 or (len(dtypes) == 1 and not all(aval.weak_type for aval in avals)):
        return avals[0].dtype, len(avals) == 1 and avals[0].weak_type and avals[0].dtype.kind != "b"
    if all(aval.weak_type for aval in avals) and current_context().numpy_dtype_promotion != "strict":
        dtype, weak = _least_upper_bound(dtypes), True
    else:
        dtype = _least_upper_bound({_WEAK_NODES[a.dtype.kind] if a.weak_type else a.dtype.name for a in avals})
        weak = dtype.endswith("*")
        dtype = {"int*": "int64", "float*": "float64"}.get(dtype, dtype)
    return canonical_dtype(dtype), weak and dtype != "bool"


def inexact(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which functions such as ``sin`` compute."""
    if dtype.kind == "f":
        return dtype
    return canonical_dtype("float64" if dtype.itemsize == 8 else "float32")
