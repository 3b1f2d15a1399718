"""Distributions and inference of NumPyro under jit."""

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer.util import log_density


@jax.jit
def log_probs(x, loc, scale):
    normal = dist.Normal(loc, scale).log_prob(x).sum()
    return normal + dist.StudentT(3.0, loc, scale).log_prob(x).sum() + dist.Laplace(loc, scale).log_prob(x).sum()


@jax.jit
def draws(key, rate):
    return dist.Exponential(rate).sample(key, (3,)), dist.Beta(rate, 2.0).sample(key)


def model(x, y):
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    noise = numpyro.sample("noise", dist.HalfNormal(1.0))
    numpyro.sample("y", dist.Normal(slope * x, noise), obs=y)


@jax.jit
def joint(params, x, y):
    return log_density(model, (x, y), {}, params)[0]


X = jnp.linspace(0.1, 1.0, 5)
CALLS = [
    (log_probs, (X, jnp.zeros(()), jnp.ones(()))),
    (draws, (jax.random.key(0), jnp.ones(()))),
    (joint, ({"slope": jnp.ones(()), "noise": jnp.ones(())}, X, X)),
]

if __name__ == "__main__":
    log_probs(X, jnp.zeros(()), jnp.ones(()))
    draws(jax.random.key(0), jnp.ones(()))
    joint({"slope": jnp.ones(()), "noise": jnp.ones(())}, X, X)
