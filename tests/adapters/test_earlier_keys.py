"""Keys of JAX's own caches: ``jax/_src/pjit.py: _infer_params_cached, _pjit_lower``, ``WeakrefLRUCache.cache_keys``."""

import functools

import jax
import jax.numpy as jnp
from jax._src import pjit

from stagelight.adapters.earlier_keys import earlier_lowerings, earlier_traces, settings_of


@functools.partial(jax.jit, static_argnames="n")
def step(x, params, n=2):
    return x * n + params["a"]


def test_the_caches_name_their_keys():
    for name in ("_infer_params_cached", "_pjit_lower"):
        assert callable(getattr(pjit, name).cache_keys), f"jax/_src/pjit.py: {name}"


def test_a_trace_of_before_is_read_with_its_arguments():
    step(jnp.ones(3), {"a": 1.0}, n=4)
    step(jnp.ones(5), {"a": 1.0}, 7)
    found = {t.call.avals[0].shape: t for t in earlier_traces() if t.call.fun is step._fun}
    named, positional = found[(3,)].call, found[(5,)].call
    assert (len(named.args), named.kwargs) == (2, {"n": 4})
    assert positional.args == (None, None, 7)
    assert found[(3,)].call.leaf_names == ("x", "params['a']")
    assert found[(3,)].jaxpr is not None


def test_a_trace_that_raised_is_none():
    @jax.jit
    def fails(x):
        raise ValueError(x)

    try:
        fails(jnp.ones(3))
    except ValueError:
        pass
    assert not [t for t in earlier_traces() if t.call.fun is fails._fun]


def test_a_lowering_says_which_inputs_are_committed():
    double = jax.jit(lambda x: x * 2)
    x = jnp.ones(3)
    double(x), double(jax.device_put(x, jax.devices()[0]))
    jaxprs = [t.jaxpr for t in earlier_traces() if t.call.fun is double._fun]
    shardings = [low.shardings[0] for low in earlier_lowerings() if low.jaxpr is jaxprs[0]]
    assert sorted(s is not None for s in shardings) == [False, True]


def test_a_context_is_named_or_said_not_to_be():
    trace = next(iter(earlier_traces()))
    named = settings_of(trace.context)
    assert named is None or "jax_enable_x64" in dict(named) or "enable_x64" in dict(named)
