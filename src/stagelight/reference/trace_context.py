"""The trace context: settings that enter the cache key, and the rules of the JAX version that is followed.

JAX keeps them per thread and reads them as ``config.trace_context()`` (``jax/_src/config.py``). Settings that JAX leaves out
of that tuple, such as ``jax_debug_nans``, cause no new trace and are left out here too.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec

from stagelight.reference.staging_error import refuse


class TraceContext(msgspec.Struct, frozen=True, kw_only=True):
    """The settings in the key; names are those of ``jax.config`` without ``jax_``."""

    enable_x64: bool = False
    numpy_dtype_promotion: str = "standard"
    numpy_rank_promotion: str = "allow"
    default_matmul_precision: str | None = None
    default_device: str | None = None


class VersionRule(msgspec.Struct, frozen=True, kw_only=True):
    """One known difference between JAX versions, seen in the sources and held by a test."""

    slug: str
    since: tuple[int, int]
    says: str


VERSION_RULES: tuple[VersionRule, ...] = (
    VersionRule(
        slug="stack-is-a-primitive",
        since=(0, 10),
        says="jnp.stack stages one `stack`; before, it staged a broadcast_in_dim of each operand and a concatenate",
    ),
    VersionRule(
        slug="arange-is-staged",
        since=(0, 10),
        says="jnp.arange with a step stages an iota, a mul and an add; before, it was computed while tracing and captured",
    ),
    VersionRule(
        slug="static-hash-is-compared",
        since=(0, 11),
        says="static values that are equal but hash differently are two keys of the tracing cache (FTStatic.__hash__ in "
        "jax/_src/flattree.py); before, the hash of a structure left its static values out",
    ),
    VersionRule(
        slug="reduce-max-has-a-sharding",
        since=(0, 11),
        says="reduce_max and reduce_min carry an `out_sharding` parameter, as reduce_sum does",
    ),
    VersionRule(
        slug="declarations-are-not-compared",
        since=(0, 11),
        says="two jits of one function share traces where no argument given is static; before, whether static arguments were "
        "declared was in the key (FlatTree.statics in jax/_src/tree_util.py)",
    ),
    VersionRule(
        slug="negative-number-counts-parameters",
        since=(0, 12),
        says="a negative static_argnums counts from the end of the parameters; before, from the end of the arguments given",
    ),
    VersionRule(
        slug="unstack-is-a-primitive",
        since=(0, 11),
        says="iterating over an array stages one `unstack`; before, it staged a slice and a squeeze for each row",
    ),
)

NEWEST = "0.12.0.1"
_context: ContextVar[TraceContext] = ContextVar("trace_context", default=TraceContext())  # noqa: B039  (frozen)
_version: ContextVar[tuple[int, int]] = ContextVar("version", default=(0, 12))


def current_context() -> TraceContext:
    """The trace context of this thread."""
    return _context.get()


def rule_holds(slug: str) -> bool:
    """Whether the version now followed has this rule."""
    return next(rule.since for rule in VERSION_RULES if rule.slug == slug) <= _version.get()


@contextmanager
def settings(**changes: object) -> Iterator[None]:
    """Change settings of the trace context for the length of a ``with`` block."""
    unknown = set(changes) - set(TraceContext.__struct_fields__)
    if unknown:
        raise refuse(f"the setting {sorted(unknown)[0]!r}")
    token = _context.set(msgspec.structs.replace(_context.get(), **changes))
    try:
        yield
    finally:
        _context.reset(token)


@contextmanager
def following(version: str) -> Iterator[None]:
    """Follow the rules of one JAX version for the length of a ``with`` block."""
    major, minor = version.split(".")[:2]
    token = _version.set((int(major), int(minor)))
    try:
        yield
    finally:
        _version.reset(token)
