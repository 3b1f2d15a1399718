"""Root finding and minimisation with Optimistix and Lineax under jit."""

import jax
import jax.numpy as jnp
import lineax
import optimistix


def residual(y, args):
    return y**2 - args


@jax.jit
def root(y0, target):
    return optimistix.root_find(residual, optimistix.Newton(rtol=1e-3, atol=1e-3), y0, args=target).value


@jax.jit
def linear(matrix, vector):
    return lineax.linear_solve(lineax.MatrixLinearOperator(matrix), vector).value


CALLS = [(root, (jnp.ones(2), jnp.full(2, 2.0))), (linear, (jnp.eye(3), jnp.ones(3)))]

if __name__ == "__main__":
    root(jnp.ones(2), jnp.full(2, 2.0))
    linear(jnp.eye(3), jnp.ones(3))
