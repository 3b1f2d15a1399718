"""The trace context of JAX 0.9: an unnamed tuple, explained by reading the public configuration.

Follows ``jax/_src/config.py: trace_context``. The settings are read by ``getattr(jax.config, name)``, which sees
thread-local values too, and only when the tuple was not seen before.
"""

from typing import Any

from stagelight.adapters.lazy_settings import LazySettings

_NOT_IN_THE_KEY = (
    "log", "cache", "profil", "dump", "debug_", "traceback", "explain", "coordination", "pjrt",
    "platform", "cpu_", "gpu_", "cuda", "rocm", "tpu", "mock", "distributed", "hlo_source", "include_full",
)  # fmt: skip


def reader() -> Any:
    """A function that returns the token and the named settings; never ``None``."""
    import jax

    try:
        from jax._src.config import trace_context
    except ImportError:
        trace_context = None
    names = [n for n in getattr(jax.config, "values", {}) if not any(w in n for w in _NOT_IN_THE_KEY)]

    def settings() -> tuple[tuple[str, Any], ...]:
        found = [(n, getattr(jax.config, n, None)) for n in names]
        found.append(("abstract_mesh", jax.sharding.get_abstract_mesh()))
        return tuple(found)

    def read() -> tuple[object, tuple[tuple[str, Any], ...]]:
        if trace_context is not None:
            return trace_context(), LazySettings(settings)
        now = settings()
        return tuple((n, repr(v)) for n, v in now), now

    return read
