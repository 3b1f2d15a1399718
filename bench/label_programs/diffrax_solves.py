"""Differential equations with Diffrax under jit."""

import diffrax
import jax
import jax.numpy as jnp


def decay(t, y, args):
    return -args * y


@jax.jit
def fixed_steps(y0, rate):
    term = diffrax.ODETerm(decay)
    solution = diffrax.diffeqsolve(term, diffrax.Heun(), 0.0, 1.0, 0.1, y0, args=rate, max_steps=32)
    return solution.ys


@jax.jit
def adaptive(y0, rate):
    controller = diffrax.PIDController(rtol=1e-3, atol=1e-3)
    term = diffrax.ODETerm(decay)
    solution = diffrax.diffeqsolve(
        term, diffrax.Tsit5(), 0.0, 1.0, 0.1, y0, args=rate, stepsize_controller=controller, max_steps=64
    )
    return solution.ys


CALLS = [(fixed_steps, (jnp.ones(2), jnp.float32(0.5))), (adaptive, (jnp.ones(2), jnp.float32(0.5)))]

if __name__ == "__main__":
    fixed_steps(jnp.ones(2), jnp.float32(0.5))
    adaptive(jnp.ones(2), jnp.float32(0.5))
