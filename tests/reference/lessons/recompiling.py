"""A second lesson: lengths, flags, unrolled loops, structures, and a last batch that is smaller."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


def create_filled(value, length):
    return jnp.full((length,), value)


try:
    jax.jit(create_filled)(3.14, 5)
except TypeError as error:
    print("a traced length:", str(error).splitlines()[0][:40])
filled = jax.jit(create_filled, static_argnums=(1,))
print(filled(2, 5), filled(2, 5).dtype, filled(1.6, 10), filled(1.6, 10).dtype)


@functools.partial(jax.jit, static_argnames=("training",))
def layer(x, training):
    print("tracing layer", training)
    return x * 0.5 if training else x


row = np.ones(4, np.float32)
for training in (True, False, True, False):
    print(layer(row, training=training))


@functools.partial(jax.jit, static_argnums=1)
def power(x, n):
    print("tracing power", n)
    for _ in range(n):
        x = x * 2.0
    return x


for n in (3, 7, 3):
    print(power(row, n))
print(str(jax.make_jaxpr(power, static_argnums=1)(row, 3)).count("mul"))


@jax.jit
def add(pair):
    print("tracing add", type(pair).__name__)
    return pair[0] + pair[1]


print(add((row, row)), add([row, row]), add((row, row + 1)))


@jax.jit
def train_step(batch):
    print("tracing step", batch.shape)
    return batch.mean()


rows = np.ones((70, 4), np.float32)
for start in range(0, 70, 32):
    print(train_step(rows[start : start + 32]))

try:
    layer(row, training=[True])
except ValueError as error:
    print("unhashable:", str(error).split(".")[0])
for count in (1, 2, 1):
    print(jax.jit(lambda x: x * count)(row))
