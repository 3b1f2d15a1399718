"""Observation changes nothing: the jaxpr is the same text with and without it."""

import re

import equinox as eqx
import fixtures.explained_functions as functions
import jax
import jax.numpy as jnp
import optax
import pytest
from flax import nnx

from stagelight.staging.explaining import explain


def vector(n=3):
    return jnp.linspace(0.1, 1.0, n)


def adam(grads):
    optimiser = optax.adam(1e-3)
    return optimiser.update(grads, optimiser.init(grads), grads)


def clipped(grads):
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-2))
    return optimiser.update(grads, optimiser.init(grads), grads)


def equinox_model(x):
    model = eqx.nn.MLP(3, 2, 4, 2, key=jax.random.key(0))
    return jax.vmap(model)(x)


def nnx_model(x):
    layer = nnx.MultiHeadAttention(num_heads=2, in_features=4, decode=False, rngs=nnx.Rngs(0))
    return layer(x)


def loss_and_gradient(params, x):
    return jax.value_and_grad(lambda p: jnp.mean((x @ p["w"] + p["b"]) ** 2))(params)


CALLS = {
    "branch": (functions.branch, (vector(), {"w": vector()})),
    "unrolled": (lambda x: functions.unrolled(x, 3), (vector(),)),
    "scanned": (functions.scanned, (0.0, vector())),
    "every_syntax": (lambda x: functions.every_syntax(x, 2, 3.0, a=1.0), (vector(),)),
    "optax_adam": (adam, (vector(),)),
    "optax_chain": (clipped, ({"w": vector(), "b": jnp.ones(())},)),
    "equinox": (equinox_model, (jnp.ones((2, 3)),)),
    "nnx": (nnx_model, (jnp.ones((1, 5, 4)),)),
    "gradient": (loss_and_gradient, ({"w": vector(), "b": jnp.ones(())}, jnp.ones((2, 3)))),
}
# What the packages' own functions are: rewritten as well, not only the calls above.
OWN = {"optax_adam": ("optax",), "optax_chain": ("optax",), "equinox": ("equinox",), "nnx": ()}


def jaxpr_text(text):
    return re.sub(r"0x[0-9a-f]+", "0x", text)


@pytest.mark.parametrize("name", CALLS)
def test_the_jaxpr_is_the_same_text(name):
    function, arguments = CALLS[name]
    jitted = function if hasattr(function, "trace") else jax.jit(function)
    plain = jitted.trace(*arguments).jaxpr
    explanation = explain(function, own=OWN.get(name, ()))(*arguments)
    assert explanation.failure is None
    assert jaxpr_text(explanation.jaxpr) == jaxpr_text(str(plain))
    assert any(f.spans for f in explanation.functions)


def test_the_packages_own_functions_are_seen():
    explanation = explain(adam, own=("optax",))(vector())
    assert {"adam", "scale_by_adam.<locals>.update_fn"} & {f.function for f in explanation.functions}
    assert len(explanation.functions) > 10
