"""Trace a function anew without emptying the caches of the program around it.

JAX keys its tracing caches by a trace context. ``jax_xla_profile_version`` (``jax/_src/config.py``) is part of it,
means nothing to tracing, and nothing to compilation while it is not positive (``jax/_src/compiler.py:
get_compile_options``). A fresh negative value is therefore a tracing cache of one's own.
"""

import contextlib
import itertools
from collections.abc import Iterator

import jax

_versions = itertools.count(-1, -1)


def has_private_cache() -> bool:
    """Whether this JAX has the setting; without it the caches of the process must be emptied."""
    return _profile_version() is not None


@contextlib.contextmanager
def private_tracing() -> Iterator[None]:
    """Everything traced inside runs its Python body again, and nothing traced outside is forgotten.

    Tracebacks keep JAX's own frames (``jax/_src/traceback_util.py`` loses the exact instruction when it removes them),
    and leak checks are off: an observer holds values for a while.
    """
    state = _profile_version()
    if state is None:
        jax.clear_caches()
    with contextlib.ExitStack() as stack:
        if state is not None:
            stack.enter_context(state(next(_versions)))
        stack.enter_context(_setting("jax_traceback_filtering", "off"))
        stack.enter_context(_setting("jax_check_tracer_leaks", False))
        yield


def _profile_version() -> object:
    try:
        from jax._src import config
    except ImportError:
        return None
    state = getattr(config, "jax_xla_profile_version", None)
    return state if callable(state) else None


@contextlib.contextmanager
def _setting(name: str, value: object) -> Iterator[None]:
    before = getattr(jax.config, name, value)
    if before == value:
        yield
        return
    jax.config.update(name, value)
    try:
        yield
    finally:
        jax.config.update(name, before)
