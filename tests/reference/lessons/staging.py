"""A first lesson: static configuration, tracing against running, decisions on data."""

import jax
import jax.numpy as jnp


def reduce(x, mode):
    print("tracing reduce", mode, x)
    if mode == "sum":
        return x.sum()
    if mode == "mean":
        return x.mean()
    if mode == "max":
        return x.max()
    raise ValueError("unknown mode")


staged_reduce = jax.jit(reduce, static_argnames=("mode",))
x = jnp.array([1.0, 2.0, 3.0])
for mode in ("sum", "mean", "max", "sum"):
    print(mode, float(staged_reduce(x, mode=mode)))
print("by position", float(staged_reduce(x, "sum")), float(staged_reduce(x + 1.0, "sum")))
try:
    staged_reduce(x, mode="typo")
except ValueError as error:
    print("rejected:", error)


negative = jnp.array([-4.0, -1.0, -2.0])
for mode in ("sum", "mean", "max"):
    print(mode, float(staged_reduce(negative, mode=mode)))


def sum_squares(values):
    print("tracing", values.shape)
    return jnp.sum(values * values)


print(jax.make_jaxpr(sum_squares)(x))
staged = jax.jit(sum_squares)
print("squares", float(staged(x)), float(staged(x + 1.0)), float(staged(jnp.arange(5, dtype=jnp.float32))))


def python_branch(value):
    if value > 0.0:
        return value**2
    return -value


try:
    jax.jit(python_branch)(jnp.array(-2.0))
except jax.errors.TracerBoolConversionError as error:
    print("no truth value:", str(error).splitlines()[0])
print("untraced", float(python_branch(jnp.array(-2.0))))


def runtime_branch(value):
    print("tracing branch")
    return jax.lax.cond(value > 0.0, lambda z: z**2, lambda z: -z, value)


branch = jax.jit(runtime_branch)
print("branch", float(branch(jnp.array(-2.0))), float(branch(jnp.array(3.0))))
print(jax.make_jaxpr(lambda v: jnp.where(v > 0.0, v**2, -v))(x))
print("largest", float(jax.jit(lambda v: v.max())(jnp.array([-4.0, -1.0, -2.0]))))


def plain_sum_squares(values):
    print("tracing plain", values)
    return jnp.sum(values**2)


squares = jax.jit(plain_sum_squares)
for length in (3, 5):
    for shift in (0.0, 1.0):
        print(float(squares(jnp.arange(length, dtype=jnp.float32) + shift)))
