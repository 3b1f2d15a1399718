"""Random programs over two ragged axes, in integers, whose results must be equal to the last bit."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import strategies as st
from jax import lax

import stagelight

DIMS = {"x": {0: "b", 1: "t"}, "u": {0: "b"}, "v": {0: "t"}}
SIZES = ((11, 5), (13, 7))  # both in the bucket b=16, t=8
KINDS = ("bt", "b", "t", "s")


def packed(x):
    return jnp.cumsum(x.reshape(-1)).reshape(x.shape)


def beside(u, v):
    return jnp.cumsum(jnp.concatenate([v, u]))[: u.shape[0]]


def windows(u):
    return lax.reduce_window(jnp.pad(u, 1, constant_values=3), 0, lax.add, (3,), (1,), "VALID")


def recurrent(x, v):
    return lax.scan(lambda state, row: (state * 3 + row, state.sum()), v, x)[0]


def recurrent_outputs(x, v):
    return lax.scan(lambda state, row: (jnp.maximum(state, row), (state * row).sum()), v, x, reverse=True)[1]


def repeated(u):
    return lax.while_loop(
        lambda state: (state[0] < 3) & (state[1].sum() != 1), lambda s: (s[0] + 1, s[1] * 5 + s[0]), (0, u)
    )[1]


def chosen(s, x):
    return lax.cond(s > 0, lambda y: y - y.max(0), lambda y: y * 2 + y.min(), x)


def segments(u, w):
    return jax.ops.segment_sum(u, w % 5, num_segments=5)[jnp.abs(u) % 5]


# The kinds of the operands, the kind of the result, and the operation.
OPERATIONS = (
    *(((k, k), k, f) for k in ("bt", "b", "t") for f in (lax.add, lax.mul, lax.max, lax.bitwise_xor)),
    *(((k, k), k, lambda x, y: jnp.where(x > y, x, y - 1)) for k in ("bt", "b", "t")),
    (("b", "t"), "bt", lambda u, v: u[:, None] * v[None] + 1),
    (("bt", "s"), "bt", lambda x, s: x - s),
    (("bt",), "b", lambda x: x.sum(1)),
    (("bt",), "b", lambda x: x.max(1)),
    (("bt",), "b", lambda x: x.argmax(1).astype(jnp.int32)),
    (("bt",), "t", lambda x: x.sum(0)),
    (("bt",), "t", lambda x: x.min(0)),
    (("b",), "s", lambda u: u.sum()),
    (("t",), "s", lambda v: v.max()),
    (("bt",), "s", lambda x: lax.reduce_xor(x, (0, 1))),
    (("bt",), "bt", lambda x: jnp.cumsum(x, 0)),
    (("bt",), "bt", lambda x: lax.cumsum(x, 1, reverse=True)),
    (("b",), "b", lambda u: lax.cummax(u, 0, reverse=True)),
    (("b",), "b", jnp.sort),
    (("bt",), "bt", lambda x: jnp.sort(x, 1)),
    (("t",), "t", lambda v: jnp.argsort(v).astype(jnp.int32)),
    (("bt",), "bt", lambda x: jnp.flip(x, 0)),
    (("b",), "b", lambda u: jnp.roll(u, 1)),
    (("b",), "b", lambda u: u.at[1:].add(u[:-1])),
    (("b",), "b", lambda u: u + u[::2].sum() - u[1::2].max()),
    (("bt", "t"), "b", lambda x, v: x @ v),
    (("bt", "bt"), "b", lambda x, y: jnp.einsum("bt,ct->bc", x, y).max(1)),
    (("bt", "b"), "t", lambda x, u: u @ x),
    (("b", "t"), "t", lambda u, v: jnp.take(u, v, mode="clip")),
    (("b", "t"), "t", lambda u, v: u.at[v % 20].get(mode="fill", fill_value=7)),
    (("b", "t"), "b", lambda u, v: u.at[v % 20].add(v, mode="drop")),
    (("b", "b"), "b", segments),
    (("bt",), "bt", packed),
    (("b", "t"), "b", beside),
    (("b",), "b", windows),
    (("bt", "t"), "t", recurrent),
    (("bt", "t"), "b", recurrent_outputs),
    (("b",), "b", repeated),
    (("s", "bt"), "bt", chosen),
    (("bt",), "bt", lambda x: jax.vmap(lambda row: row - row.sum())(x)),
    (("bt",), "bt", lambda x: x * jnp.arange(x.shape[1], dtype=jnp.int32) + x.shape[0]),
)

STEP = st.tuples(st.integers(0, len(OPERATIONS) - 1), st.integers(0, 99), st.integers(0, 99))
PROGRAMS = st.lists(STEP, min_size=4, max_size=10)


def function_of(steps):
    """The function that a list of steps stands for: each takes operands from what is there, and adds its result."""

    def program(x, u, v):
        there = {"bt": [x], "b": [u], "t": [v], "s": [x[0, 0]]}
        for operation, *picks in steps:
            kinds, kind, function = OPERATIONS[operation]
            operands = [there[k][pick % len(there[k])] for k, pick in zip(kinds, picks, strict=False)]
            there[kind].append(function(*operands))
        return {kind: values[-1] for kind, values in there.items()}, there["s"][-1] + sum(u.sum() for u in there["b"])

    return program


def arguments(random, b, t):
    return tuple(random.integers(-100, 100, shape).astype(np.int32) for shape in ((b, t), (b,), (t,)))


def differences(steps, seed=0):
    """How many results of a program differ from those of the unpadded function."""
    function = function_of(steps)
    bucketed = stagelight.bucketed(function, dims=DIMS, padding="poison", check_first=False)
    random, wrong = np.random.default_rng(seed), 0
    for b, t in SIZES:
        args = arguments(random, b, t)
        got, expected = bucketed(*args), jax.tree.map(np.asarray, function(*map(jnp.asarray, args)))
        for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
            wrong += not (np.shape(one) == np.shape(other) and np.array_equal(one, other))
    assert bucketed.compiles == 1, bucketed.buckets()
    return wrong


def is_miscompiled(steps, seed=0):
    """Whether plain ``jax.jit`` of the unpadded function differs from its operations one by one: a fault of XLA."""
    function, random = function_of(steps), np.random.default_rng(seed)
    for b, t in SIZES:
        args = tuple(map(jnp.asarray, arguments(random, b, t)))
        pairs = zip(jax.tree.leaves(jax.jit(function)(*args)), jax.tree.leaves(function(*args)), strict=True)
        if not all(np.array_equal(one, other) for one, other in pairs):
            return True
    return False
