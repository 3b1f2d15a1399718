"""Training steps of the libraries that people use: a function, its first state, and ragged batches."""

import dataclasses
from collections.abc import Callable
from typing import Any

import equinox as eqx
import flax.linen as linen
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax import lax


@dataclasses.dataclass(frozen=True)
class Training:
    """``step(state, *batch) -> (state, loss)``; every array of a batch is ragged in its first axes."""

    step: Callable[..., Any]
    state: Any
    batch: Callable[[np.random.Generator, int, int], tuple]
    axes: int
    rtol: float = 2e-4


def floats(random, *shape):
    return random.normal(size=shape).astype(np.float32)


def labelled(random, b, t):
    return floats(random, b, 6), random.integers(0, 3, b).astype(np.int32)


def sequences(random, b, t):
    return floats(random, b, t, 5), floats(random, b, t, 4)


def with_optimizer(loss, parameters, optimizer=None):
    """A step of a functional model: the state is its parameters and the optimizer's state."""
    optimizer = optimizer or optax.adam(1e-2)

    def step(state, *batch):
        parameters, moments = state
        value, gradients = jax.value_and_grad(loss)(parameters, *batch)
        updates, moments = optimizer.update(gradients, moments, parameters)
        return (optax.apply_updates(parameters, updates), moments), value

    return step, (parameters, optimizer.init(parameters))


def of_linen(model, loss, batch, axes, **more):
    example = batch(np.random.default_rng(0), 3, 5)[0]
    parameters = model.init(jax.random.key(0), example)
    step, state = with_optimizer(lambda p, x, y: loss(model.apply(p, x), y), parameters)
    return Training(step, state, batch, axes, **more)


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def squared(outputs, targets):
    return ((outputs - targets) ** 2).mean()


def linen_mlp():
    model = linen.Sequential([linen.Dense(8), linen.gelu, linen.LayerNorm(), linen.Dense(3)])
    return of_linen(model, cross_entropy, labelled, 1)


class Convolutional(linen.Module):
    @linen.compact
    def __call__(self, x):
        x = linen.relu(linen.Conv(6, (3,))(x))
        x = linen.avg_pool(x, (2,), strides=(1,), padding="SAME")
        return linen.Dense(4)(linen.relu(linen.Conv(6, (3,), padding="VALID")(jnp.pad(x, ((0, 0), (1, 1), (0, 0))))))


def linen_cnn():
    return of_linen(Convolutional(), squared, sequences, 2)


class Recurrent(linen.Module):
    cell: Any

    @linen.compact
    def __call__(self, x):
        return linen.Dense(4)(linen.RNN(self.cell(6))(x))


def linen_lstm():
    return of_linen(Recurrent(linen.OptimizedLSTMCell), squared, sequences, 2)


def linen_gru():
    return of_linen(Recurrent(linen.GRUCell), squared, sequences, 2)


def of_nnx(model, loss, batch, axes):
    """Everything in an NNX model is its state: parameters, running statistics and random counts."""
    graph, parameters, rest = nnx.split(model, nnx.Param, ...)
    optimizer = optax.sgd(0.05, momentum=0.9)

    def step(state, *args):
        model = nnx.merge(graph, *state[:2])
        value, gradients = nnx.value_and_grad(lambda model: loss(model, *args))(model)
        _, parameters, rest = nnx.split(model, nnx.Param, ...)
        updates, moments = optimizer.update(gradients, state[2], parameters)
        return (optax.apply_updates(parameters, updates), rest, moments), value

    return Training(step, (parameters, rest, optimizer.init(parameters)), batch, axes)


class Normalised(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(6, 8, rngs=rngs)
        self.norm = nnx.BatchNorm(8, rngs=rngs)
        self.dropout = nnx.Dropout(0.3, rngs=rngs)
        self.last = nnx.Linear(8, 3, rngs=rngs)

    def __call__(self, x):
        return self.last(self.dropout(jax.nn.relu(self.norm(self.first(x)))))


def nnx_batch_norm_and_dropout():
    return of_nnx(Normalised(nnx.Rngs(0)), lambda model, x, y: cross_entropy(model(x), y), labelled, 1)


class Causal(nnx.Module):
    def __init__(self, rngs):
        self.embed = nnx.Embed(11, 8, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(2, 8, decode=False, rngs=rngs)
        self.norm = nnx.LayerNorm(8, rngs=rngs)
        self.last = nnx.Linear(8, 11, rngs=rngs)

    def __call__(self, tokens):
        x = self.embed(tokens)
        x = x + self.attention(self.norm(x), mask=nnx.make_causal_mask(tokens))
        return self.last(x)


def tokens(random, b, t):
    return (random.integers(0, 11, (b, t)).astype(np.int32),)


def nnx_causal_transformer():
    def loss(model, tokens):
        return cross_entropy(model(tokens)[:, :-1], tokens[:, 1:])

    return of_nnx(Causal(nnx.Rngs(0)), loss, tokens, 2)


def of_equinox(model, loss, batch, axes):
    arrays, static = eqx.partition(model, eqx.is_array)
    step, state = with_optimizer(lambda a, *batch: loss(eqx.combine(a, static), *batch), arrays, optax.adamw(1e-2))
    return Training(step, state, batch, axes)


def equinox_mlp():
    model = eqx.nn.MLP(6, 3, 8, 2, key=jax.random.key(0))
    return of_equinox(model, lambda m, x, y: cross_entropy(jax.vmap(m)(x), y), labelled, 1)


class Autoencoder(eqx.Module):
    encode: eqx.nn.Linear
    decode: eqx.nn.MLP

    def __init__(self, key):
        self.encode = eqx.nn.Linear(6, 4, key=key)
        self.decode = eqx.nn.MLP(2, 6, 8, 1, key=key)


def variational(model, x, y):
    mean, spread = jnp.split(jax.vmap(model.encode)(x), 2, axis=1)
    drawn = mean + jnp.exp(spread) * jax.random.normal(jax.random.key(y.shape[1]), mean.shape)
    divergence = 0.5 * (mean**2 + jnp.exp(2 * spread) - 2 * spread - 1).sum(1)
    return ((jax.vmap(model.decode)(drawn) - x) ** 2).sum(1).mean() + divergence.mean()


def equinox_vae():
    batch = lambda random, b, t: (floats(random, b, 6), floats(random, b, 2))
    return of_equinox(Autoencoder(jax.random.key(1)), variational, batch, 1)


def optax_ctc():
    def loss(parameters, frames, labels, frame_padding, label_padding):
        logits = jnp.tanh(frames @ parameters["w"]) @ parameters["v"]
        return optax.ctc_loss(logits, frame_padding, labels, label_padding).mean()

    def batch(random, b, t):
        labels = random.integers(1, 5, (b, 3)).astype(np.int32)
        return floats(random, b, t + 4, 5), labels, np.zeros((b, t + 4), np.float32), np.zeros((b, 3), np.float32)

    random = np.random.default_rng(0)
    step, state = with_optimizer(loss, {"w": floats(random, 5, 6), "v": floats(random, 6, 5)})
    return Training(step, state, batch, ({0: "b", 1: "t"}, {0: "b"}, {0: "b", 1: "t"}, {0: "b"}))


def scanned(parameters, x, y):  # a recurrence of one's own, its loss a mean over both ragged axes
    def turn(state, row):
        state = jnp.tanh(row @ parameters["w"] + state)
        return state, state

    states = lax.scan(turn, jnp.zeros((x.shape[0], 4)), jnp.swapaxes(x, 0, 1))[1]
    return squared(jnp.swapaxes(states, 0, 1), y)


def plain_recurrence():
    step, state = with_optimizer(scanned, {"w": floats(np.random.default_rng(0), 5, 4)}, optax.sgd(0.1))
    return Training(step, state, sequences, 2)


TRAININGS = (
    linen_mlp,
    linen_cnn,
    linen_lstm,
    linen_gru,
    nnx_batch_norm_and_dropout,
    nnx_causal_transformer,
    equinox_mlp,
    equinox_vae,
    optax_ctc,
    plain_recurrence,
)
