"""Modules of Flax under jit."""

import jax
import jax.numpy as jnp
from flax import nnx


@jax.jit
def linear(key, x):
    return nnx.Linear(3, 4, rngs=nnx.Rngs(key))(x)


@jax.jit
def attention(key, x):
    rngs = nnx.Rngs(key)
    layer = nnx.MultiHeadAttention(num_heads=2, in_features=4, decode=False, rngs=rngs)
    return nnx.LayerNorm(4, rngs=rngs)(layer(x))


KEY = jax.random.key(0)
CALLS = [(linear, (KEY, jnp.ones((2, 3)))), (attention, (KEY, jnp.ones((1, 5, 4))))]

if __name__ == "__main__":
    linear(KEY, jnp.ones((2, 3)))
    attention(KEY, jnp.ones((1, 5, 4)))
