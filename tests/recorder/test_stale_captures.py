"""Captured values that changed after the trace are told at the end, and only those."""

import pytest

from stagelight.model.event import CaptureChanged
from tests.recorder.watching import watched

jax = pytest.importorskip("jax")

scale = 2
traces = 0


def changes(block):
    seen = watched(block)
    return [(seen.functions[e.function].name, e.name, e.before.text, e.after.text) for e in seen.of(CaptureChanged)]


def test_a_global_that_changed_is_told():
    @jax.jit
    def scaled(x):
        return x * scale

    def block():
        global scale
        scaled(1.0)
        scale = 3

    assert changes(block) == [("scaled", "scale", "2", "3")]


def test_a_local_variable_that_changed_is_told_though_its_function_is_gone():
    def block():
        factor = 10.0

        def loss(x):
            return x * factor

        gradient = jax.jit(jax.grad(loss))
        gradient(1.0)
        factor = 20.0
        gradient(1.0)

    assert changes(block) == [("loss", "factor", "10.0", "20.0")]


def test_a_loop_that_makes_its_function_anew_uses_each_value_when_it_is_right():
    def block():
        for step in range(3):
            assert jax.jit(lambda x: x + step)(1.0) == 1.0 + step

    assert changes(block) == []


def test_an_attribute_of_a_static_object_that_changed_is_told_by_its_path():
    class Settings:
        def __init__(self):
            self.rate = 0.1

    settings = Settings()
    step = jax.jit(lambda x, s: x * s.rate, static_argnums=1)

    def block():
        step(1.0, settings)
        settings.rate = 0.2

    assert changes(block) == [("<lambda>", "s.rate", "0.1", "0.2")]


def test_a_counter_of_traces_is_not_stale():
    @jax.jit
    def counted(x):
        global traces
        traces += 1
        return x

    assert changes(lambda: counted(1.0)) == []
