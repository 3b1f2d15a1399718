"""Loops, branches, calls, random numbers, factorizations and transforms."""

import jax
import jax.numpy as jnp
from bucketing.cases import GRID, floats, key, of
from jax import lax

from stagelight.adapters.symbolic_registry import primitive


def recurrent(x, w, reverse=False):
    def step(state, row):
        state = jnp.tanh(row @ w + state)
        return state, state

    return lax.scan(step, jnp.zeros((*x.shape[1:-1], 4)), x, reverse=reverse)


def weights(random, b, t):
    return floats(random, b, 4), floats(random, 4, 4)


def batched_weights(random, b, t):
    return floats(random, b, t, 4), floats(random, 4, 4)


def halved(x):
    return jax.vmap(lambda v: lax.while_loop(lambda c: c > 1.0, lambda c: c * 0.5, jnp.abs(v).sum()))(x)


def settled(x):
    return lax.while_loop(lambda c: (c**2).mean() > 1e-3, lambda c: c * 0.5, x)


def never(x):  # a padded lane holds NaN, for which the predicate is true for ever
    return jax.vmap(lambda v: lax.while_loop(lambda c: ~(c.sum() < 1.0), lambda c: c * 0.5, jnp.abs(v)))(x)


loops = (
    of(recurrent, weights, name="recurrence"),
    of(lambda x, w: recurrent(x, w, reverse=True), weights, name="recurrence in reverse"),
    of(recurrent, weights, name="recurrence over the capacity, masked", options={"loops": "capacity"}),
    of(lambda x, w: recurrent(x, w, reverse=True), weights, name="the same in reverse", options={"loops": "capacity"}),
    of(lambda x, w: recurrent(jnp.swapaxes(x, 0, 1), w), batched_weights, GRID, name="recurrence of a ragged batch"),
    of(
        lambda x: lax.scan(lambda h, _: (h * 0.5 + x.mean(0), x.max()), jnp.zeros(4), None, length=3),
        name="fixed length",
    ),
    of(
        lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: c * 0.9 + x[i], jnp.zeros(4)),
        name="counted by the size",
        gradient=False,
    ),
    of(settled, name="until it settles", gradient=False),
    of(halved, name="lanes that end apart", gradient=False),
    of(never, name="padded lanes that would never end", gradient=False),
    of(lambda x: lax.map(lambda row: row.sum() * row, x), name="map"),
)

branching = (
    of(lambda x: lax.cond(x.mean() > 0, lambda y: y - y.max(0), lambda y: y * 2, x), name="cond"),
    of(lambda x: lax.switch(jnp.int32(1), [jnp.sin, jnp.cos, jnp.exp], x).sum(0), name="switch"),
)


@jax.custom_vjp
def doubled(x):
    return x * 2


doubled.defvjp(lambda x: (x * 2, None), lambda _, g: (g * 2,))


@jax.custom_batching.custom_vmap
def tripled(x):
    return x * 3


tripled.def_vmap(lambda size, batched, x: (x * 3, True))


def linear(x):
    return jax.custom_derivatives.linear_call(lambda r, y: y * 2, lambda r, y: y * 2, (), x)


calls = (
    of(lambda x: jax.jit(lambda y: jax.jit(jnp.mean)(y) + y.sum(0))(x), name="nested jit"),
    of(lambda x: (jax.nn.relu(x).sum(0), doubled(x).sum(0)), name="custom derivatives"),
    of(lambda x: jax.checkpoint(lambda y: jnp.sin(y).sum(0))(x), name="checkpoint"),
    of(
        lambda x: (tripled(x), lax.composite(lambda y: y * 2, "tests.twice")(x).sum(0), linear(x)),
        name="other calls",
        gradient=False,
    ),
    of(
        lambda x: lax.custom_linear_solve(lambda v: v * 2, x, lambda _, y: y / 2),
        name="custom linear solve",
        gradient=False,
    ),
    of(
        lambda x: lax.custom_root(
            lambda y: y**3 - x, x, lambda f, y: jnp.cbrt(x), lambda g, y: y / g(jnp.ones_like(y))
        ),
        name="custom root",
        gradient=False,
    ),
)

keyed = lambda random, b, t: (key(random), floats(random, b, 4))
keyed_grid = lambda random, b, t: (key(random), floats(random, b, t, 4))


def typed(k, x):
    keys = jax.random.split(jax.random.wrap_key_data(k), x.shape[0])
    folded = jax.vmap(jax.random.fold_in)(keys, jnp.arange(x.shape[0]))
    seeded = jax.vmap(jax.random.key)(jnp.arange(x.shape[0]))
    return {
        "data": jax.random.key_data(folded),
        "wrapped": jax.random.key_data(jax.random.wrap_key_data(jax.random.key_data(keys) + 1)),
        "hashed": primitive("threefry2x32").bind(*[jax.random.key_data(keys)[:, n % 2] for n in range(4)]),
        "seeded": jax.random.key_data(seeded),
        "clone": jax.random.key_data(jax.random.clone(keys)),
        "normal": jax.vmap(lambda key, row: row + jax.random.normal(key, (4,)))(folded, x),
        "uniform of each key": jax.vmap(lambda key: jax.random.uniform(key, (x.shape[0], 2)))(folded[:3]),
        "gamma": jax.vmap(lambda key, a: jax.random.gamma(key, a))(keys, jnp.abs(x[:, 0]) + 1),
    }


random_numbers = (
    of(lambda k, x: jnp.where(jax.random.bernoulli(k, 0.8, x.shape), x / 0.8, 0).sum(0), keyed, name="dropout"),
    of(lambda k, x: x + jax.random.normal(k, x.shape), keyed_grid, GRID, name="noise of two ragged axes"),
    of(lambda k, x: x.T + jax.random.uniform(k, x.T.shape), keyed, name="noise of a trailing ragged axis"),
    of(typed, keyed, name="typed keys", gradient=False, rtol=1e-4),
    of(
        lambda k, x: (jax.random.categorical(k, x, axis=-1), jax.random.randint(k, (x.shape[0],), 0, 10)),
        keyed,
        name="choices",
        gradient=False,
    ),
    of(lambda k, x: x[jax.random.randint(k, (5,), 0, x.shape[0])], keyed, name="choices of rows", gradient=False),
    of(
        lambda k, x: x + jax.random.normal(jax.random.key(0, impl="rbg"), (4,)),
        keyed,
        name="another generator, fixed shape",
        gradient=False,
    ),
)


def positive(x):
    return x @ x.T + 3 * jnp.eye(x.shape[0])


def small(x):
    return jnp.einsum("bi,bj->bij", x, x) + jnp.diag(jnp.arange(1.0, 5.0))


def solved(x, y):
    factor = jnp.linalg.cholesky(positive(x))
    return jax.scipy.linalg.cho_solve((factor, True), y), jnp.log(jnp.diag(factor)).sum()


def factored(x):
    matrices = small(x)
    return {
        "eigenvalues": jnp.linalg.eigvalsh(matrices),
        "singular values": jnp.linalg.svd(matrices, compute_uv=False),
        "qr": jnp.abs(jnp.linalg.qr(matrices)[1]),
        "inverse": jnp.linalg.inv(matrices),
        "hessenberg": jnp.abs(lax.linalg.hessenberg(matrices)[0]),
        "tridiagonal": jnp.abs(lax.linalg.tridiagonal(matrices)[1]),
        "schur": jnp.abs(jnp.trace(lax.linalg.schur(matrices)[0], axis1=1, axis2=2)),
        "eig": jnp.sort(jnp.linalg.eig(matrices)[0].real, axis=-1),
        "pivoted": jnp.abs(jax.scipy.linalg.qr(matrices, pivoting=True)[1]),
        "householder": jnp.abs(lax.linalg.householder_product(*primitive("geqrf").bind(matrices))),
        "geqp3": jnp.abs(
            primitive("geqp3").bind(matrices, jnp.zeros(matrices.shape[:2], jnp.int32), use_magma=None)[0]
        ),
        "permutation": lax.linalg.lu_pivots_to_permutation(lax.linalg.lu(matrices)[1], 4),
        "cholesky": jnp.linalg.cholesky(small(jnp.zeros_like(x))),
    }


def tridiagonal(x, y):
    return lax.linalg.tridiagonal_solve(x * 0.1, 2 + x * x, x * 0.1, y)


def triangular(x, y):
    lower = jnp.tril(positive(x))
    solve = lax.linalg.triangular_solve
    return solve(lower, y[:, None], left_side=True, lower=True), solve(lower, y[None], left_side=False, lower=True)


PAIR = {"x": {0: "b"}, "y": {0: "b"}}
factorization = (
    of(solved, lambda r, b, t: (floats(r, b, 4), floats(r, b)), PAIR, name="cholesky solve", rtol=1e-3, atol=1e-4),
    of(
        lambda x: jnp.linalg.cholesky(jnp.nan_to_num(positive(x), nan=-5.0)),
        name="cholesky beside what is not positive",
        gradient=False,
        rtol=1e-3,
        atol=1e-4,
    ),
    of(
        triangular, lambda r, b, t: (floats(r, b, 4), floats(r, b)), PAIR, name="triangular solve", rtol=1e-3, atol=1e-4
    ),
    of(factored, name="batches", gradient=False, rtol=1e-3, atol=1e-4),
    of(tridiagonal, lambda r, b, t: (floats(r, b), floats(r, b, 2)), PAIR, name="tridiagonal solve", gradient=False),
)

transforms = (
    of(lambda x: jnp.abs(jnp.fft.fft(x, axis=1)).sum(0), name="Fourier transforms of rows", gradient=False, rtol=1e-4),
)

CASES = (*loops, *branching, *calls, *random_numbers, *factorization, *transforms)
