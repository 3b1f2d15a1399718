"""Sampling kernels of BlackJAX under jit."""

import blackjax
import jax
import jax.numpy as jnp


def logdensity(x):
    return -0.5 * jnp.sum(x**2)


@jax.jit
def hmc_step(key, position):
    kernel = blackjax.hmc(logdensity, 0.1, jnp.ones(2), 4)
    return kernel.step(key, kernel.init(position))


@jax.jit
def nuts_step(key, position):
    kernel = blackjax.nuts(logdensity, 0.1, jnp.ones(2))
    return kernel.step(key, kernel.init(position))


@jax.jit
def mala_step(key, position):
    kernel = blackjax.mala(logdensity, 0.1)
    return kernel.step(key, kernel.init(position))


KEY = jax.random.key(0)
CALLS = [(hmc_step, (KEY, jnp.ones(2))), (nuts_step, (KEY, jnp.ones(2))), (mala_step, (KEY, jnp.ones(2)))]

if __name__ == "__main__":
    hmc_step(KEY, jnp.ones(2))
    nuts_step(KEY, jnp.ones(2))
    mala_step(KEY, jnp.ones(2))
