"""Layers of Equinox under jit."""

import equinox as eqx
import jax
import jax.numpy as jnp


@eqx.filter_jit
def mlp(model, x):
    return jax.vmap(model)(x)


@eqx.filter_jit
def attention(layer, norm, x):
    return jax.vmap(norm)(layer(x, x, x))


@eqx.filter_jit
def convolved(layer, pool, x):
    return pool(layer(x))


KEY = jax.random.key(0)
CALLS = [
    (mlp, (eqx.nn.MLP(3, 2, 8, 2, key=KEY), jnp.ones((4, 3)))),
    (attention, (eqx.nn.MultiheadAttention(2, 4, key=KEY), eqx.nn.LayerNorm(4), jnp.ones((5, 4)))),
    (convolved, (eqx.nn.Conv2d(1, 2, 3, key=KEY), eqx.nn.MaxPool2d(2), jnp.ones((1, 8, 8)))),
]
