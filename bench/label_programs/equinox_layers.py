"""Layers of Equinox under jit."""

import equinox as eqx
import jax
import jax.numpy as jnp


@jax.jit
def mlp(key, x):
    return jax.vmap(eqx.nn.MLP(3, 2, 8, 2, key=key))(x)


@jax.jit
def attention(key, x):
    layer = eqx.nn.MultiheadAttention(2, 4, key=key)
    return jax.vmap(eqx.nn.LayerNorm(4))(layer(x, x, x))


@jax.jit
def convolved(key, x):
    return eqx.nn.MaxPool2d(2)(eqx.nn.Conv2d(1, 2, 3, key=key)(x))


KEY = jax.random.key(0)
CALLS = [(mlp, (KEY, jnp.ones((4, 3)))), (attention, (KEY, jnp.ones((5, 4)))), (convolved, (KEY, jnp.ones((1, 8, 8))))]

if __name__ == "__main__":
    mlp(KEY, jnp.ones((4, 3)))
    attention(KEY, jnp.ones((5, 4)))
    convolved(KEY, jnp.ones((1, 8, 8)))
