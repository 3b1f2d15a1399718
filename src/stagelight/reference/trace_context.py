"""The trace context: settings that enter the cache key, and the rules of the JAX version that is followed.

JAX keeps them per thread and reads them as ``config.trace_context()`` (``jax/_src/config.py``). Settings that JAX
leaves out of that tuple, such as ``jax_debug_nans``, cause no new trace and are left out here too.
"""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import NamedTuple

import msgspec

from stagelight.reference.staging_error import refuse


class TraceContext(msgspec.Struct, frozen=True, kw_only=True):
    """The settings in the key; names are those of ``jax.config`` without ``jax_``."""

    enable_x64: bool = False
    numpy_dtype_promotion: str = "standard"
    numpy_rank_promotion: str = "allow"
    default_matmul_precision: str | None = None
    default_device: str | None = None


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


def current_context() -> TraceContext:
    """The trace context of this thread."""
    return _context.get()


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
    for name in sorted(set(changes) - set(TraceContext.__struct_fields__)):
        raise refuse(f"the setting {name!r}")
    return holding(_context, msgspec.structs.replace(_context.get(), **changes))


def following(version: str) -> AbstractContextManager[None]:
    """Follow the rules of one JAX version for the length of a ``with`` block."""
    return holding(_version, tuple(map(int, version.split(".")[:2])))
