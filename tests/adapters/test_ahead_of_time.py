"""``jax/_src/stages.py: Lowered.compile`` is told from a compile that merely happens outside a call."""

import jax
import jax.numpy as jnp

from stagelight.model.event import Compiled, Ended
from tests.recorder.watching import watched


def made_ahead(block):
    seen = watched(block)
    assert seen.of(Compiled)
    (ended,) = seen.of(Ended)
    return ended.aot_calls


def test_a_compile_that_the_program_asks_for_is_ahead_of_time():
    assert made_ahead(lambda: jax.jit(lambda x: x * 2).lower(jnp.ones(3)).compile())


def test_an_eager_gradient_is_not():
    assert not made_ahead(lambda: jax.grad(lambda x: (x * 3.25).sum())(jnp.ones(17)))


def test_a_call_is_not():
    assert not made_ahead(lambda: jax.jit(lambda x: x * 2)(jnp.ones(3)))


def test_the_method_has_the_name_that_is_looked_for():
    code = jax.stages.Lowered.compile.__code__
    assert (code.co_qualname, code.co_filename.endswith("stages.py")) == ("Lowered.compile", True)
