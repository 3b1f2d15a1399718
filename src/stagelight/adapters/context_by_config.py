"""The trace context of JAX 0.9: an unnamed tuple, explained by reading the public configuration.

Follows ``jax/_src/config.py: trace_context``. The settings are read by ``getattr(jax.config, name)``, which sees
thread-local values too, and only when the tuple was not seen before.
"""

from typing import Any

_NOT_IN_THE_KEY = (
    "log", "cache", "profil", "dump", "debug_", "traceback", "explain", "coordination", "pjrt",
    "platform", "cpu_", "gpu_", "cuda", "rocm", "tpu", "mock", "distributed", "hlo_source", "include_full",
)  # fmt: skip


class ContextByConfig:
    """Reads the unnamed context from JAX, and the settings that it is made of from the public configuration."""

    def __init__(self) -> None:
        import jax

        self._jax = jax
        self._names = [n for n in getattr(jax.config, "values", {}) if not any(w in n for w in _NOT_IN_THE_KEY)]
        try:
            from jax._src.config import trace_context
        except ImportError:
            trace_context = self._token_of_settings
        self.token = trace_context

    def settings(self) -> tuple[tuple[str, Any], ...]:
        """Each setting by name."""
        found = [(n, getattr(self._jax.config, n, None)) for n in self._names]
        found.append(("abstract_mesh", self._jax.sharding.get_abstract_mesh()))
        return tuple(found)

    def _token_of_settings(self) -> tuple[tuple[str, str], ...]:
        return tuple((n, repr(v)) for n, v in self.settings())


def reader() -> ContextByConfig:
    """A reader; there is always one."""
    return ContextByConfig()
