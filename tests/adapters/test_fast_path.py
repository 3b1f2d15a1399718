"""The C++ call cache: ``jaxlib/_jax: PjitFunctionCache.clear_all``, ``PjitFunction._clear_cache``."""

import jax
import jax.numpy as jnp

from stagelight.adapters.fast_path import empty_fast_path, empty_fast_path_of


def test_it_is_emptied_for_all_and_for_one_and_nothing_is_traced():
    traced = []

    @jax.jit
    def step(x):
        traced.append(x)
        return x * 2

    step(jnp.ones(3))
    assert empty_fast_path(), "jaxlib/_jax: PjitFunctionCache.clear_all"
    assert empty_fast_path_of(step), "jaxlib/_jax: PjitFunction._clear_cache"
    step(jnp.ones(3))
    assert len(traced) == 1


def test_what_is_no_jitted_function_has_none():
    assert not empty_fast_path_of(len)
