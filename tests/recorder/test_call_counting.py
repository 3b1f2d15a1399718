"""Calls of jitted methods are counted as those of functions are."""

import functools

import jax
import jax.numpy as jnp
import pytest

from stagelight.model.event import CallsCounted
from tests.recorder.watching import watched


class Model:
    def __init__(self, scale):
        self.scale = scale

    @functools.partial(jax.jit, static_argnums=0)
    def apply(self, x):
        return x * self.scale

    @staticmethod
    @jax.jit
    def plain(x):
        return x + 1


def calls_in(block, name):
    return sum(e.calls for e in watched(block, calls=True).of(CallsCounted, name))


@pytest.mark.parametrize("name", ["apply", "plain"])
def test_a_jitted_method_is_counted_at_every_call(name):
    model = Model(2.0)

    def block():
        for _ in range(10):
            getattr(model, name)(jnp.ones(3))

    assert calls_in(block, name) == 10


def test_a_method_written_out_is_counted_too():
    model = Model(3.0)

    def block():
        x = jnp.ones(3)
        model.apply(x)
        for _ in range(9):
            model.apply(x)

    assert calls_in(block, "apply") == 10
