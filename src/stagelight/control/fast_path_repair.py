"""Give functions back the fast path that an earlier error took from them."""

from typing import Any

from stagelight.adapters.fast_path import empty_fast_path, empty_fast_path_of
from stagelight.errors import StagelightError, UsageError


def restore_fast_path(function: Any = None) -> None:
    """Mend what an earlier error cost: calls that go through Python since then, although nothing is traced.

    When a call of a jitted function raises while it is traced or compiled, JAX sends every later call with these
    avals through Python: tens of microseconds each. This empties the C++ call cache, so that the next call fills it
    again. Nothing is traced or compiled because of it.

    Args:
        function: A jitted function; without it, all of them.

    Raises:
        UsageError: ``function`` is not what ``jax.jit`` returned.
        StagelightError: This JAX has no way to empty its call cache.

    Example:
        >>> import jax, stagelight
        >>> double = jax.jit(lambda x: x * 2)
        >>> stagelight.restore_fast_path(double)
        >>> stagelight.restore_fast_path()
    """
    if function is None:
        if not empty_fast_path():
            message = "this JAX has no jaxlib PjitFunctionCache.clear_all: call restore_fast_path(f) for each function"
            raise StagelightError(message)
    elif not empty_fast_path_of(function):
        message = f"restore_fast_path takes what jax.jit returned, not {type(function).__name__}"
        raise UsageError(message)
