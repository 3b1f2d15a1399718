"""Reductions, running sums, contractions, convolutions and windows."""

import jax
import jax.numpy as jnp
import numpy as np
from bucketing.cases import GRID, floats, grid, of, vector, whole
from jax import lax

reduction = (
    of(
        lambda x: {n: getattr(jnp, n)(x, axis=0) for n in "sum mean var max min".split()},
        name="reductions of rows",
    ),
    of(
        lambda x: {n: getattr(jnp, n)(x, axis=1) for n in "sum mean max min".split()},
        grid,
        GRID,
        name="reductions of the second axis",
    ),
    of(lambda x: (jnp.exp(x).sum(), x.max(), jnp.linalg.norm(x)), grid, GRID, name="reductions of everything"),
    of(
        lambda x: (x.argmax(0), x.argmin(0), (x > 0).any(0), (x < 9).all(0), (x > 0).sum(0)),
        name="indices of extremes",
        gradient=False,
    ),
    of(lambda x: (-jnp.abs(x) - 1).max(0), name="greatest of negatives"),
    of(lambda x: (jnp.abs(x) + 1).min(0), name="least of positives"),
    of(
        lambda x: (x.sum(), x.max(), x.min(), x.argmax(), x.argmin(), jnp.prod(x % 3 + 1)),
        whole,
        name="integers",
        gradient=False,
    ),
    of(
        lambda x: (lax.reduce_xor(x, (0,)), lax.reduce_or(x, (0,)), lax.reduce_and(x, (0,))),
        whole,
        name="bits",
        gradient=False,
    ),
    of(
        lambda x: (x.argmax(), x.argmin()),
        lambda r, b, t: (np.where(r.random(b) < 0.3, np.nan, floats(r, b)).astype(np.float32),),
        name="extremes among NaN",
        gradient=False,
    ),
    of(lambda x: jax.nn.softmax(x, axis=1), grid, GRID, name="softmax"),
    of(lambda x: (jax.nn.logsumexp(x, axis=0), jax.nn.log_softmax(x, axis=0)), name="log of sums"),
)


def own_reductions(x):
    return lax.reduce(x, np.float32(0), lambda a, c: a + c + a * c * 0.01, (0,)), lax.reduce(
        x, np.float32(5), jnp.logaddexp, (0,)
    )


def paired_reduction(x):
    best = lambda a, c: (jnp.where(a[0] >= c[0], a[0], c[0]), jnp.where(a[0] >= c[0], a[1], c[1]))
    return lax.reduce((x, lax.iota(jnp.int32, x.shape[0])), (np.float32(-np.inf), np.int32(-1)), best, (0,))


generic_reduction = (
    of(own_reductions, name="by any function", gradient=False, rtol=1e-4),
    of(paired_reduction, vector, name="of pairs", gradient=False),
    of(
        lambda x: lax.reduce(x, np.float32(1), lambda a, c: a * c + 0.5, (1,)),
        name="beside a ragged axis",
        gradient=False,
    ),
)

NAMES = ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp")
cumulative = (
    of(lambda x: {n: getattr(lax, n)(x, axis=0) for n in NAMES}, name="running forwards", gradient=False),
    of(lambda x: (jnp.cumsum(x, 0), jnp.cumsum(x[::-1], 0)), name="running forwards, with gradient"),
    *(
        of(lambda x, n=n: getattr(lax, n)(x, axis=0, reverse=True), name=f"{n} in reverse", gradient=n == "cumsum")
        for n in NAMES
    ),
    of(lambda x: lax.cumsum(x, axis=1, reverse=True).sum(0), grid, GRID, name="in reverse along the second axis"),
    of(lambda x: jnp.cumsum(x), whole, name="of integers", gradient=False),
)


def attention(x):
    scores = jnp.einsum("bqd,bkd->bqk", x, x)
    scores = jnp.where(jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool)), scores, -jnp.inf)
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(scores, -1), x)


def grouped(x, w, n):
    return lax.ragged_dot(x, w, n)


contraction = (
    of(lambda x: jnp.exp(x).T @ jnp.exp(x), name="over the ragged axis"),
    of(
        lambda x, w: jnp.exp(x).T @ w,
        lambda r, b, t: (floats(r, b, 4), np.ones((b, 3), np.float32)),
        {"x": {0: "b"}, "w": {0: "b"}},
        name="with a second operand",
    ),
    of(lambda x: (x @ x.T).sum(0), name="gram matrix"),
    of(attention, grid, GRID, name="causal attention"),
    of(lambda x: jnp.einsum("bld,bmd->lm", x, x), grid, GRID, name="over batch and features"),
    of(lambda x: x.T @ jnp.ones((x.shape[0], 2)), name="with ones"),
    of(
        grouped,
        lambda r, b, t: (floats(r, b, 4), floats(r, 2, 4, 3), np.array([4, b - 4], np.int32)),
        name="rows in groups",
        gradient=False,
    ),
)

NUMBERS = ("NWC", "WIO", "NWC")


def convolve(x, w, stride=1, padding="SAME", dilation=1):
    return lax.conv_general_dilated(x, w, (stride,), padding, rhs_dilation=(dilation,), dimension_numbers=NUMBERS)


def images(random, b, t):
    return floats(random, b, t, 3), floats(random, 3, 3, 9)


def over_features(x, w):  # the contracted feature axis is ragged
    return lax.conv_general_dilated(x, w, (1,), "VALID", dimension_numbers=NUMBERS)


convolution = (
    *(
        of(lambda x, w, s=s, p=p: convolve(jnp.exp(x), w, s, p), images, GRID, name=f"stride {s} {p}", gradient=s == 1)
        for s in (1, 2)
        for p in ("SAME", "VALID")
    ),
    of(lambda x, w: convolve(x, w, padding=[(2, 0)]).sum(1), images, GRID, name="causal"),
    of(lambda x, w: convolve(x, w, dilation=2), images, GRID, name="dilated"),
    of(
        over_features,
        lambda r, b, t: (floats(r, 2, 6, b), floats(r, 3, b, 5)),
        {"x": {2: "b"}, "w": {1: "b"}},
        name="ragged features",
    ),
)


def pooled(x, operator, start, stride=1, padding="VALID"):
    return lax.reduce_window(x, start, operator, (1, 3, 1), (1, stride, 1), padding)


def own_window(x):
    return lax.reduce_window(x, np.float32(0), lambda a, c: a + c + 0.01 * a * c, (1, 3, 1), (1, 1, 1), "SAME")


windows = (
    *(of(lambda x, s=s: pooled(x, lax.max, -jnp.inf, s), grid, GRID, name=f"greatest, stride {s}") for s in (1, 2)),
    *(
        of(lambda x, s=s: pooled(jnp.exp(x), lax.add, 0.0, s).sum(1), grid, GRID, name=f"sum, stride {s}")
        for s in (1, 2)
    ),
    of(lambda x: pooled(x, lax.max, -jnp.inf, 1, "SAME"), grid, GRID, name="greatest beyond the ends"),
    of(lambda x: pooled(jnp.exp(x), lax.add, 0.0, 1, "SAME"), grid, GRID, name="sum beyond the ends"),
    of(lambda x: pooled(x, lax.min, jnp.inf, 1, "SAME"), grid, GRID, name="least beyond the ends", gradient=False),
    of(own_window, grid, GRID, name="by any function", gradient=False),
    of(
        jax.grad(lambda x: (pooled(jnp.exp(x), lax.max, -jnp.inf, 1, "SAME") * 2).sum()),
        grid,
        GRID,
        name="gradient of the greatest alone",
        gradient=False,
    ),
)

CASES = (*reduction, *generic_reduction, *cumulative, *contraction, *convolution, *windows)
