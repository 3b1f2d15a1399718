"""Leaked tracers: pinned on ``jax/_src/stages.py: Traced`` and ``jax/_src/core.py: escaped_tracer_error``."""

import jax
import jax.numpy as jnp

from stagelight.adapters.leaked_tracers import leak_error


def test_a_leak_gives_jaxs_own_error():
    kept = []
    jax.jit(lambda x: kept.append(x * 2) or x)(1.0)
    error = leak_error(jax.jit(lambda x: x + kept[0]).trace(1.0))
    assert isinstance(error, jax.errors.UnexpectedTracerError)
    assert "was created on line" in str(error)


def test_captured_arrays_are_no_leak():
    table = jnp.arange(3)
    assert leak_error(jax.jit(lambda x: x + table).trace(1.0)) is None
