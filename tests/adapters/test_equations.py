"""What a jaxpr is made of (``jax/_src/core.py: Jaxpr, JaxprEqn``)."""

import jax
import jax.numpy as jnp
import numpy
from jax import lax

from stagelight.adapters.equations import baked_arrays, count_equations, inner_jaxpr


def traced(function):
    return jax.jit(function).trace(jnp.ones(3)).jaxpr


def test_equations_of_inner_programs_count():
    def branches(x):
        return lax.cond(x[0] > 0, lambda x: lax.sin(lax.sin(x)), lax.cos, x)

    outer = len(inner_jaxpr(traced(branches)).eqns)
    assert count_equations(traced(branches)) == outer + 3


def test_a_jitted_function_counts_at_each_of_its_calls():
    @jax.jit
    def three(x):
        return lax.sin(lax.sin(lax.sin(x)))

    assert count_equations(traced(lambda x: three(three(x)))) == 2 * (1 + 3)


def test_programs_in_programs_count():
    def loops(x):
        def body(x, _):
            return lax.fori_loop(0, x.astype(int), lambda _, v: lax.sin(v), x), None

        return lax.scan(lambda x, _: (lax.sin(x), None), x, length=3)[0]

    one_sin = count_equations(traced(loops))
    assert one_sin == len(inner_jaxpr(traced(loops)).eqns) + 1


def test_captured_arrays_are_found():
    table = numpy.ones(5)
    (found,) = baked_arrays(traced(lambda x: x[0] + jnp.asarray(table)))
    assert found.shape == (5,)
