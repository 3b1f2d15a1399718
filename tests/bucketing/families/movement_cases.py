"""Creation, structure, reshapes, arrangement and slices."""

import jax.numpy as jnp
import numpy as np
from bucketing.cases import GRID, floats, grid, of
from jax import lax

creation = (
    of(lambda x: x * jnp.arange(x.shape[0])[:, None] + jnp.empty(x.shape), name="iota and empty"),
    of(lambda x: x.sum(0) / x.shape[0], name="size as value"),
    of(lambda x: (x * jnp.linspace(0, 1, x.shape[0])[:, None]).sum(0), name="linspace"),
    of(lambda x: (jnp.eye(x.shape[0]) * (x @ x.T)).sum(), name="identity matrix"),
)

structural = (
    of(lambda x: (x[:, None] * jnp.ones((1, 3, 1))).sum(0), name="broadcast"),
    of(lambda x: jnp.swapaxes(x, 0, 1).sum(1), grid, GRID, name="transpose"),
    of(lambda x: jnp.squeeze(x[:, :1], 1) * 2, name="squeeze"),
    of(lambda x: jnp.stack([x, x + 1], 1).sum(0), name="stack"),
    of(lambda x: [y.sum(0) for y in jnp.unstack(x, axis=1)], name="unstack"),
    of(lambda x: [y.sum(0) for y in lax.split(x, [1, 3], axis=1)], name="split of a fixed axis"),
    of(lambda x: [jnp.cumsum(y, 0) for y in lax.split(x, [2, x.shape[0] - 2])], name="split of a ragged axis"),
    of(lambda x: jnp.tile(x, (3, 1)).cumsum(0), name="tile"),
    of(lambda x: jnp.repeat(x, 3, axis=0).cumsum(0), name="repeat"),
)

reshaping = (
    of(lambda x: x.reshape(-1, 2, 2).sum(1), name="split a fixed axis"),
    of(lambda x: x.reshape(-1, 4).mean(0), grid, GRID, name="merge two ragged axes"),
    of(lambda x: jnp.cumsum(x.reshape(x.shape[0], -1), 1), grid, GRID, name="merge a ragged and a fixed axis"),
    of(lambda x: jnp.cumsum(x.T.reshape(-1)), name="merge a trailing ragged axis"),
    of(lambda x: (x.reshape(-1, 4) * 2).reshape(x.shape).sum(1), grid, GRID, name="merge and split again"),
    of(lambda x: jnp.zeros_like(x).T.reshape(-1) + 1, name="reshape a constant"),
    of(lambda x: x.T.reshape(2, -1).sum(1), name="group a ragged axis behind a fixed one"),
)


def joined(x, y):
    return jnp.sort(jnp.concatenate([x, y]), 0), jnp.cumsum(jnp.concatenate([y, jnp.ones((2, 4)), x]), 0)


two = {"x": {0: "b"}, "y": {0: "t"}}
arrangement = (
    of(joined, lambda r, b, t: (floats(r, b, 4), floats(r, t, 4)), two, name="concatenate ragged parts"),
    of(lambda x: jnp.concatenate([x, x], 1).sum(0), name="concatenate beside a ragged axis"),
    of(
        lambda x, c: jnp.concatenate([c, x]).mean(0),
        lambda r, b, t: (floats(r, b, 4), floats(r, 1, 4)),
        name="concatenate behind a fixed part",
    ),
    of(lambda x: jnp.flip(x, 0), name="reverse"),
    of(lambda x: (jnp.flip(jnp.exp(x), 0) * jnp.arange(x.shape[0])[:, None]).sum(0), name="reverse and weigh"),
    of(lambda x: jnp.pad(x, ((2, 3), (0, 0)), constant_values=7.0).cumsum(0), name="pad"),
    of(
        lambda x, v: lax.pad(x, v, ((1, 2, 0), (0, 0, 0))).cumsum(0),
        lambda r, b, t: (floats(r, b, 4), floats(r)),
        name="pad by a run-time value",
    ),
    of(lambda x: lax.pad(x, jnp.float32(1), ((1, 2, 2), (0, 0, 0))).cumsum(0), name="pad between"),
    of(lambda x: lax.pad(x, jnp.float32(1), ((-1, -1, 0), (0, 0, 0))).cumsum(0), name="pad by less than nothing"),
    of(lambda x: jnp.pad(x, ((2, 3), (0, 0)), mode="edge"), name="pad with the edge"),
    of(lambda x: (jnp.roll(x, 2, axis=0), jnp.diff(x, axis=0)), name="roll and difference"),
)


def written(x, i, u):
    return lax.dynamic_update_slice_in_dim(x, u, i, 0).sum(0), lax.dynamic_slice_in_dim(x, i, 2, 0)


def ragged_write(x, u):
    return lax.dynamic_update_slice_in_dim(x, u, 3, 0).cumsum(0)


slicing = (
    of(lambda x: (x[1:-1].sum(0), x[2:], x[:-2].mean(0), x[-1]), name="slices"),
    of(lambda x: (x[::2], x[1::2].cumsum(0), x[::-1]), name="strides"),
    of(lambda x: x[: x.shape[0] // 2].sum(0) - x[x.shape[0] // 2 :].sum(0), name="halves"),
    of(
        written,
        lambda r, b, t: (floats(r, b, 4), np.int32(b + 3), floats(r, 2, 4)),
        name="windows beyond the end are clamped to the size",
    ),
    of(
        written,
        lambda r, b, t: (floats(r, b, 4), np.uint32(2**32 - 5), floats(r, 2, 4)),
        name="windows at unsigned offsets",
    ),
    of(
        ragged_write, lambda r, b, t: (floats(r, 40, 4), floats(r, b, 4)), {"u": {0: "b"}}, name="write a ragged window"
    ),
    of(lambda x: x.at[1:3].set(0.0).cumsum(0), name="set a slice"),
)

CASES = (*creation, *structural, *reshaping, *arrangement, *slicing)
