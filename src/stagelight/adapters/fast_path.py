"""The C++ call cache of jitted functions: empty it, so that a stopped call does not cost its function the fast path.

Follows ``jaxlib/_jax: PjitFunctionCache``. When a call that missed raises, JAX marks its entry as one that has to go
through Python from then on; an emptied cache forgets the mark, and the next call fills it again.
"""

from typing import Any


def empty_fast_path() -> bool:
    """Empty the C++ call cache of every jitted function; nothing is traced or compiled again because of it.

    Returns:
        Whether this JAX could do it.
    """
    try:
        from jax._src.lib import _jax

        _jax.PjitFunctionCache.clear_all()
    except Exception:  # a JAX without it keeps working; its calls stay slower after an error
        return False
    return True


def empty_fast_path_of(jitted: Any) -> bool:
    """Empty the C++ call cache of one jitted function (``PjitFunction._clear_cache``)."""
    clear = getattr(jitted, "_clear_cache", None)
    if clear is None:
        return False
    clear()
    return True
