"""Tracers of another trace that a traced function has taken in.

``jit`` finds them when it runs (``jax/_src/interpreters/pxla.py: ExecuteReplicated``); tracing alone accepts them as
constants, so whoever only traces has to look.
"""

import jax

from stagelight.adapters.failure_arguments import is_tracer


def leak_error(traced: object) -> Exception | None:
    """The error that running would raise for a leaked tracer; None where there is none.

    Args:
        traced: What ``jax.jit(f).trace`` returned (``jax.stages.Traced``).
    """
    held = (*getattr(traced, "_consts", ()), *getattr(traced.jaxpr, "consts", ()))
    leaked = next((value for value in held if is_tracer(value)), None)
    if leaked is None:
        return None
    try:
        from jax._src.core import escaped_tracer_error
    except ImportError:
        return jax.errors.UnexpectedTracerError(f"a tracer of another trace was used: {leaked}")
    return escaped_tracer_error(leaked)
