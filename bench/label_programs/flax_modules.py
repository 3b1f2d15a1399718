"""Modules of Flax under jit."""

import jax
import jax.numpy as jnp
from flax import linen as nn
from flax import nnx


@nnx.jit
def linear(layer, x):
    return layer(x)


@nnx.jit
def attention(layer, norm, x):
    return norm(layer(x))


@jax.jit
def dense(variables, x):
    return nn.Dense(4).apply(variables, x)


CALLS = [
    (linear, (nnx.Linear(3, 4, rngs=nnx.Rngs(0)), jnp.ones((2, 3)))),
    (
        attention,
        (
            nnx.MultiHeadAttention(num_heads=2, in_features=4, decode=False, rngs=nnx.Rngs(0)),
            nnx.LayerNorm(4, rngs=nnx.Rngs(0)),
            jnp.ones((1, 5, 4)),
        ),
    ),
    (dense, ({"params": {"kernel": jnp.ones((3, 4)), "bias": jnp.ones(4)}}, jnp.ones((2, 3)))),
]
