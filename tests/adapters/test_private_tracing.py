"""A private tracing cache: ``jax_xla_profile_version`` (``jax/_src/config.py``) is part of the trace context."""

import jax

from stagelight.adapters import private_tracing as adapter
from stagelight.adapters.private_tracing import has_private_cache, private_tracing


def test_functions_run_again_inside_and_stay_cached_outside():
    ran = []
    inner = jax.jit(lambda x: ran.append("inner") or x)
    outer = jax.jit(lambda x: ran.append("outer") or inner(x))
    outer.trace(1.0)
    with private_tracing():
        outer.trace(1.0)
    outer.trace(1.0)
    assert ran == ["outer", "inner"] * 2
    assert has_private_cache()


def test_without_the_setting_the_caches_are_emptied(monkeypatch):
    monkeypatch.setattr(adapter, "_profile_version", lambda: None)
    ran = []
    traced = jax.jit(lambda x: ran.append(1) or x)
    traced(1.0)
    with private_tracing():
        traced.trace(1.0)
    assert (ran, has_private_cache()) == ([1, 1], False)


def test_settings_are_put_back():
    before = (jax.config.jax_traceback_filtering, jax.config.jax_check_tracer_leaks)
    with private_tracing():
        assert jax.config.jax_traceback_filtering == "off"
    assert (jax.config.jax_traceback_filtering, jax.config.jax_check_tracer_leaks) == before
