"""Optimisers and losses of Optax under jit."""

import jax
import jax.numpy as jnp
import optax


@jax.jit
def adamw_step(params, grads):
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
    updates, state = optimiser.update(grads, optimiser.init(params), params)
    return optax.apply_updates(params, updates), state


@jax.jit
def losses(logits, labels):
    smooth = optax.smooth_labels(jax.nn.one_hot(labels, 4), 0.1)
    return optax.softmax_cross_entropy(logits, smooth).mean() + optax.huber_loss(logits[:, 0], labels * 1.0).sum()


@jax.jit
def rmsprop_step(params, grads):
    optimiser = optax.rmsprop(1e-2, momentum=0.9)
    return optimiser.update(grads, optimiser.init(params), params)


TREE = {"w": jnp.ones((3, 2)), "b": jnp.ones(2)}
CALLS = [
    (adamw_step, (TREE, TREE)),
    (losses, (jnp.ones((5, 4)), jnp.arange(5) % 4)),
    (rmsprop_step, (TREE, TREE)),
]

if __name__ == "__main__":
    adamw_step(TREE, TREE)
    losses(jnp.ones((5, 4)), jnp.arange(5) % 4)
    rmsprop_step(TREE, TREE)
