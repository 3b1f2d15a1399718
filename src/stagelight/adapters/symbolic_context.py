"""What else a trace depends on, and what stands for a value while another trace runs.

Follows ``jax/_src/config.py`` (``trace_context``) and ``jax/_src/core.py`` (``Tracer``).
"""

from typing import Any

from jax.core import Tracer


def is_tracer(value: Any) -> bool:
    """Whether a value belongs to a trace that is running."""
    return isinstance(value, Tracer)


def trace_context() -> Any:
    """The configuration and context managers that enter JAX's cache keys, hashable.

    Where JAX has moved it, a new object each time: nothing is then shared between traces, and nothing is stale.
    """
    try:
        from jax._src import config

        return config.trace_context()
    except (ImportError, AttributeError):
        return object()
