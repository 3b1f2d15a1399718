"""Order and indices."""

import jax
import jax.numpy as jnp
import numpy as np
from bucketing.cases import floats, integers, of, vector
from jax import lax


def from_few(values):
    return lambda random, b, t: (random.choice(values, size=(b,)),)


EXTREMES = np.array([np.inf, -np.inf, 0.0, -0.0, 1.0, np.nan], np.float32)
ENDS = np.array([2**31 - 1, -(2**31), 0], np.int32)
order = (
    of(lambda x: (jnp.sort(x, axis=0), jnp.median(x, axis=0)), name="sort"),
    of(lambda x: (jnp.sort(x), jnp.argsort(x)), from_few(EXTREMES), name="NaN and infinities", gradient=False),
    of(
        lambda x: (jnp.sort(x), jnp.argsort(x), jnp.argsort(-x)),
        from_few(ENDS),
        name="extreme integers",
        gradient=False,
    ),
    of(
        lambda x, y: jnp.lexsort((x, y)),
        lambda r, b, t: (integers(r, b, high=3, low=0), integers(r, b, high=3, low=0)),
        {"x": {0: "b"}, "y": {0: "b"}},
        name="two keys",
        gradient=False,
    ),
    of(lambda x: jnp.sort(x > 0), vector, name="booleans", gradient=False),
    of(lambda x: jnp.sort(lax.complex(x, -x)), vector, name="complex numbers", gradient=False),
    of(lambda x: jnp.sort(x, axis=1), name="along a fixed axis"),
    of(lambda x: lax.top_k(-jnp.abs(x.T), 3), name="greatest of a ragged axis", gradient=False),
    of(lambda x: lax.top_k(x, 2), name="greatest of a fixed axis"),
    of(
        lambda x: lax.top_k(x, 2),
        lambda r, b, t: (-integers(r, b, low=1),),
        name="greatest of negative integers",
        gradient=False,
    ),
)


def picked(random, b, t):
    return floats(random, b, 4), integers(random, 7, low=-3, high=3 * b)


def assigned(random, b, t):
    return floats(random, b, 4), integers(random, b, low=-2, high=7)


BOTH = {"x": {0: "b"}, "i": {0: "b"}}


def chosen(x, i):
    clipped, filled = jnp.take(x, i, axis=0, mode="clip"), x.at[i].get(mode="fill", fill_value=9.0)
    return clipped, filled, x[i.astype(jnp.uint8) % 5], x.at[i].get(mode="promise_in_bounds")[:0]


def segments(x, i):
    return {n: getattr(jax.ops, f"segment_{n}")(x, i, num_segments=5) for n in ("sum", "max", "min", "prod")}


def graph(x, s, d):
    return jax.ops.segment_sum(jnp.tanh(x[s]), d, num_segments=x.shape[0])


def edges(random, b, t):
    return floats(random, b, 4), integers(random, t, low=0, high=b), integers(random, t, low=0, high=b)


indexing = (
    of(chosen, picked, name="gather beyond the size"),
    of(lambda x: jnp.take_along_axis(x, jnp.argsort(x, axis=0), axis=0), name="gather along an axis"),
    of(
        lambda x, i: (x[i] ** 2).mean((0, 1)),
        lambda r, b, t: (floats(r, 10, 4), integers(r, b, t, low=0, high=10)),
        {"i": {0: "b", 1: "t"}},
        name="embed ragged indices",
    ),
    of(lambda x: (jnp.diag(x @ x.T), jnp.trace(x @ x.T)), name="diagonal"),
    of(segments, assigned, BOTH, name="segments", gradient=False),
    of(lambda x, i: jnp.zeros((5, 4)).at[i].add(jnp.exp(x)), assigned, BOTH, name="scatter-add ragged updates"),
    of(
        lambda x, i: (
            jnp.ones((5, 4)).at[i].mul(x),
            jnp.zeros((5, 4)).at[i].subtract(x),
            jnp.zeros((5, 4)).at[i].max(x),
        ),
        assigned,
        BOTH,
        name="scatter by other operators",
        gradient=False,
    ),
    of(
        lambda x, i: jnp.zeros((5, 4)).at[i].set(x, mode="clip"),
        lambda r, b, t: (floats(r, b, 4), np.arange(b, dtype=np.int32) % 3),
        BOTH,
        name="scatter clipped",
        gradient=False,
    ),
    of(
        lambda x, i: (x.at[i].add(1.0).sum(0), x.at[i].set(2.0, mode="clip").sum(0)),
        picked,
        name="scatter into a ragged array",
    ),
    of(graph, edges, {"x": {0: "b"}, "s": {0: "t"}, "d": {0: "t"}}, name="messages between nodes"),
    of(
        lambda x: (x.at[-1].set(0.0).cumsum(0), x.at[1:].set(x[:-1]).cumsum(0)),
        name="write the last row, and all but the first",
    ),
    of(
        lambda x: (x.at[:-1].set(jnp.exp(x[1:])), x.at[:-2].multiply(jnp.exp(x[2:])), x.at[:-1].add(jnp.exp(x[:-1]))),
        name="write all but the last row",
        gradient=False,
    ),
    of(
        lambda i: (jnp.bincount(i, length=10), jax.nn.one_hot(i, 10).sum(0)),
        lambda r, b, t: (integers(r, b, low=0, high=10),),
        {"i": {0: "b"}},
        name="counts",
        gradient=False,
    ),
    of(
        lambda x: (jnp.nonzero(x > 0, size=4, fill_value=-1)[0], jnp.unique(jnp.sign(x), size=4, fill_value=-9)),
        vector,
        name="a fixed number of finds",
        gradient=False,
    ),
    of(
        lambda x: jnp.nonzero(x > 0, size=x.shape[0], fill_value=-1)[0],
        vector,
        name="a ragged number of finds",
        gradient=False,
    ),
    of(
        lambda x, q: (jnp.searchsorted(jnp.sort(q), x), jnp.interp(x, jnp.arange(5.0), jnp.arange(5.0) ** 2).sum()),
        lambda r, b, t: (floats(r, b), floats(r, 5)),
        name="search for ragged values",
        gradient=False,
    ),
)

CASES = (*order, *indexing)
