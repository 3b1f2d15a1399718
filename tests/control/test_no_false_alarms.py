"""Random call sequences that were warmed beforehand: a guard of any strictness stays silent."""

import itertools
import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import stagelight

SEQUENCES = 200


def functions():
    """Jitted functions of several kinds, by name."""
    inner = jax.jit(lambda x: x + 1)
    return {
        "plain": jax.jit(lambda x, y: x * y),
        "static": jax.jit(lambda x, y, n=1: x * n + y, static_argnames="n"),
        "nested": jax.jit(lambda x, y: inner(x) * y),
        "gradient": jax.jit(jax.grad(lambda x, y: (x * y).sum())),
        "mapped": jax.jit(jax.vmap(lambda x, y: x - y)),
        "tree": jax.jit(lambda pair, y: pair["a"] + pair["b"][0] * y),
    }


def inputs():
    """Arrays of two shapes in every place that shares an executable with another, or has its own."""
    device = jax.devices()[0]
    return [
        [jnp.full(size, 2.0), np.full(size, 2.0, np.float32), jax.device_put(jnp.full(size, 3.0), device)]
        for size in (3, 4)
    ]


def calls():
    """Every call that a sequence may hold."""
    made = []
    for name, function in functions().items():
        for same_size in inputs():
            for x, y in itertools.product(same_size, repeat=2):
                first = {"a": x, "b": (y,)} if name == "tree" else x
                options = {"n": 2} if name == "static" and x is y else {}
                made.append(lambda f=function, first=first, y=y, options=options: f(first, y, **options))
    return made


@pytest.mark.parametrize("strict", [False, True], ids=["default", "serving"])
def test_warmed_sequences_pass(strict):
    every = calls()
    for call in every:
        call()
    options = {"first": "forbid", "functions": "all", "threads": "all"} if strict else {}
    chooser = random.Random(0)
    with stagelight.no_retrace(**options) as guard:
        for _ in range(SEQUENCES):
            for call in chooser.choices(every, k=6):
                call()
    assert guard.misses == []


def test_one_call_that_was_not_warmed_is_seen():
    every = calls()
    for call in every[1:]:
        call()
    fresh = functions()["plain"]
    fresh(jnp.ones(3), jnp.ones(3))
    with pytest.raises(stagelight.RetraceForbidden), stagelight.no_retrace():
        fresh(jnp.ones(5), jnp.ones(5))
