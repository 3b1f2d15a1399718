"""Avals: the shape, dtype and weak type of a value; the promotion of dtypes, and the trace context it depends on.

Follows ``shaped_abstractify`` in ``jax/_src/core.py``, and ``_type_promotion_lattice`` and ``lattice_result_type`` in
``jax/_src/dtypes.py``. bfloat16, complex numbers, PRNG keys and sub-byte types are refused. JAX keeps the trace context
per thread and reads it as ``config.trace_context()`` (``jax/_src/config.py``); settings that JAX leaves out of that
tuple, such as ``jax_debug_nans``, cause no new trace and are left out here too.
"""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from stagelight.reference.staging_error import NotModelledError, StagingOverflowError, require, require_value


class TraceContext(NamedTuple):
    """The settings in the key; names are those of ``jax.config`` without ``jax_``."""

    enable_x64: bool = False
    numpy_dtype_promotion: str = "standard"
    numpy_rank_promotion: str = "allow"
    default_matmul_precision: str | None = None


class VersionRule(NamedTuple):
    """One known difference between JAX versions, seen in the sources and held by a test.

    ``says`` tells what held before ``since``. The sources are FlatTree in ``jax/_src/tree_util.py`` (later
    ``flattree.py``), ``resolve_argnums`` in ``jax/_src/api_util.py`` and ``jax/_src/numpy/lax_numpy.py``.
    """

    slug: str
    since: tuple[int, int]
    says: str


VERSION_RULES: tuple[VersionRule, ...] = (
    VersionRule("stack-is-a-primitive", (0, 10), "jnp.stack was staged as broadcasts and a concatenate before"),
    VersionRule("arange-is-staged", (0, 10), "jnp.arange with a step was computed while tracing, and captured, before"),
    VersionRule("static-hash-is-compared", (0, 11), "static values that are equal shared a trace whatever their hash"),
    VersionRule("declarations-are-not-compared", (0, 11), "whether any static argument is declared was in the key"),
    VersionRule("reduce-max-has-a-sharding", (0, 11), "reduce_max and reduce_min had no out_sharding before"),
    VersionRule("unstack-is-a-primitive", (0, 11), "iterating was staged as a slice and a squeeze a row before"),
    VersionRule("negative-number-counts-parameters", (0, 12), "negative static_argnums counted the arguments given"),
)
NEWEST = "0.12.0.1"
_context: ContextVar[TraceContext] = ContextVar("trace_context", default=TraceContext())  # noqa: B039  (frozen)
_version: ContextVar[tuple[int, ...]] = ContextVar("version", default=(0, 12))
current_context = _context.get  # of this thread


def rule_holds(slug: str) -> bool:
    """Whether the version now followed has this rule."""
    return next(rule.since for rule in VERSION_RULES if rule.slug == slug) <= _version.get()


@contextmanager
def holding[T](variable: ContextVar[T], value: T) -> Generator[None]:
    """Give a context variable a value for the length of a ``with`` block."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def settings(**changes: object) -> AbstractContextManager[None]:
    """Change settings of the trace context for the length of a ``with`` block."""
    unknown = sorted(set(changes) - set(TraceContext._fields))
    require(not unknown, f"the setting {', '.join(map(repr, unknown))}", NotModelledError)
    return holding(_context, current_context()._replace(**changes))


def following(version: str) -> Any:
    """Follow the rules of one JAX version for the length of a ``with`` block, or of a function that it decorates."""
    return holding(_version, tuple(map(int, version.split(".")[:2])))


_WITHOUT_X64 = {"int64": "int32", "uint64": "uint32", "float64": "float32"}
_SCALARS: dict[Any, str] = {bool: "bool", int: "int64", float: "float64"}
DTYPE_NAMES = ("bool", *(f"{k}{n}" for k in ("uint", "int") for n in (8, 16, 32, 64)), "float16", "float32", "float64")
# Kinds of dtypes, where one is above another: whatever its width, a higher one prevails.
_HEIGHT = {"b": 0, "u": 1, "i": 1, "f": 2}


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
        name = "bool" if self.dtype.kind == "b" else f"{self.dtype.kind}{8 * self.dtype.itemsize}"
        return f"{name}[{','.join(map(str, self.shape))}]"

    # Carries and branches are compared without the weak flag.
    strong = property(lambda self: self._replace(weak_type=False))


def canonical_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype JAX would give: 64 bits become 32 unless x64 is enabled."""
    known = _SCALARS.get(dtype, dtype)
    name = str(known) if str(known).startswith("key<") else np.dtype(known).name
    require(name in DTYPE_NAMES, f"the dtype {name}", NotModelledError)
    return np.dtype(name if current_context().enable_x64 else _WITHOUT_X64.get(name, name))


def aval_of(value: Any) -> Aval:
    """The aval of an argument or operand, read from its type and metadata alone.

    Raises:
        StagingTypeError: for what is not an array, a NumPy value or a Python number.
        StagingOverflowError: for a Python integer that does not fit its dtype.
    """
    aval = getattr(value, "aval", value)  # an operand of the machine, or an array of JAX itself
    if isinstance(aval, Aval):
        return aval
    require(not isinstance(value, complex), "complex numbers", NotModelledError)
    if type(value) in _SCALARS:
        dtype = canonical_dtype(type(value))
        fits = type(value) is not int or np.iinfo(dtype).min <= value <= np.iinfo(dtype).max
        require(fits, f"Python int {value} too large to convert to {dtype}", StagingOverflowError)
        return Aval((), dtype, type(value) is not bool)
    is_numpy = isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc"
    is_array = is_numpy or aval is not value or type(value).__name__ == "ShapeDtypeStruct"
    require(is_array, f"A value of type {type(value)} is not a valid JAX type")
    return Aval(tuple(aval.shape), canonical_dtype(aval.dtype), bool(getattr(aval, "weak_type", False)))


def promoted(*avals: Aval) -> tuple[np.dtype[Any], bool]:
    """The dtype and weak flag that these operands get together.

    Floats prevail over integers, and these over bool. Of one kind the wider prevails; of integers with and without a
    sign, what holds both, or a weak float where none does. A weak type counts where its kind is above all others.

    >>> promoted(Aval((3,), np.dtype("int32")), Aval((), np.dtype("float32"), True))
    (dtype('float32'), True)
    """
    weak = [aval.dtype for aval in avals if aval.weak_type]
    strong = [aval.dtype for aval in avals if not aval.weak_type]
    kept = [dtype for dtype in strong or weak if dtype.kind == "f"] or strong or weak
    found, is_weak = np.result_type(*kept), not strong
    higher = [dtype for dtype in weak if _HEIGHT[dtype.kind] > _HEIGHT[found.kind]]
    if current_context().numpy_dtype_promotion == "strict":
        is_one = not strong or (len({*strong}) == 1 and not higher)
        require_value(is_one, f"{list(map(str, avals))} have no implicit promotion path in strict mode; cast them.")
    if higher:
        found = np.dtype("float64" if "f" in {dtype.kind for dtype in higher} else "int64")
    is_weak = is_weak or bool(higher) or (found.kind == "f" and kept[0].kind != "f")
    return canonical_dtype(found), is_weak and found.kind != "b"


def inexact(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which functions such as ``sin`` compute."""
    return dtype if dtype.kind == "f" else canonical_dtype("float64" if dtype.itemsize == 8 else "float32")
