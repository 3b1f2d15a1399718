"""A softmax over a ragged axis needs one mask, whatever its elements are; what only looks like one needs its own."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from bucketing.cases import GRID, bits, floats, other_poison

import stagelight
from stagelight.bucketing import host_padding

B, T = 11, 5
INF, NAN = np.float32(np.inf), np.float32(np.nan)
TWO = {"x": {0: "b", 1: "t"}, "y": {0: "b", 1: "t"}}


def bucketed(function, dims):
    return stagelight.bucketed(function, dims=dims, padding="poison", check_first=False)


def assert_equals_unpadded(function, dims, *args):
    padded = bucketed(function, dims)
    results = padded(*args)
    for one, other in zip(jax.tree.leaves(results), jax.tree.leaves(jax.jit(function)(*args)), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(host_padding, "poison_value", other_poison)
        assert bits(padded(*args)) == bits(results)
    return [(mask.primitive, mask.value) for mask in padded.buckets().masks]


def lines():
    """Every kind of line: ordinary, of infinities, of NaN, of both, and of elements whose weights vanish."""
    x = floats(np.random.default_rng(0), B, T)
    x[1] = -INF
    x[2, 1:] = -INF
    x[3, 2] = INF
    x[4, 3] = NAN
    x[5, :2], x[5, 2] = -INF, NAN
    x[6, 0], x[6, 1] = INF, -INF
    x[7] = INF
    x[8] = [-1e30, -200.0, 0.0, 1e30, 3e38]
    return x


def keys(random=None):
    return floats(random or np.random.default_rng(1), T, 4)


def explicit(x):
    weights = jnp.exp(x - jax.lax.stop_gradient(x.max(1, keepdims=True)))
    return weights / weights.sum(1)[:, None]


@pytest.mark.parametrize("softmax", [jax.nn.softmax, explicit], ids=["of jax.nn", "written out"])
def test_one_mask_is_enough(softmax):
    masks = assert_equals_unpadded(lambda x: softmax(x), GRID, lines())
    assert masks == [("reduce_max", "-inf")]


@pytest.mark.parametrize("beside", [0.0, INF, NAN], ids=str)
def test_a_product_with_the_shares_masks_the_other_side_alone(beside):
    values = keys()
    values[2, 1] = beside
    dims = {"x": {0: "b", 1: "t"}, "v": {0: "t"}}
    masks = assert_equals_unpadded(lambda x, v: jax.nn.softmax(x, axis=1) @ v, dims, lines(), values)
    assert masks == [("reduce_max", "-inf"), ("dot_general", "0.0")] or masks == [
        ("dot_general", "0.0"),
        ("reduce_max", "-inf"),
    ]


def test_along_the_first_axis_and_of_one_line():
    assert assert_equals_unpadded(lambda x: jax.nn.softmax(x, axis=0).sum(0), GRID, lines())
    assert assert_equals_unpadded(lambda x: jax.nn.softmax(x) @ x, {"x": {0: "t"}}, floats(np.random.default_rng(2), 6))


def test_a_square_in_both_directions():
    def both(x):
        scores = x @ x.T
        return jax.nn.softmax(scores, 0) @ x, jax.nn.softmax(scores, 1) @ x, jax.nn.softmax(scores, 1).T @ x

    assert_equals_unpadded(both, {"x": {0: "b"}}, floats(np.random.default_rng(3), B, 4))


def test_a_gradient_through_a_softmax():
    def loss(x):
        return jax.grad(lambda x: jnp.sin(jax.nn.softmax(x, 1) @ jnp.cos(x).T).sum())(x)

    assert_equals_unpadded(loss, GRID, floats(np.random.default_rng(4), B, T))


def other_greatest(x, y):
    """The greatest of other elements: where it is ``-inf``, these elements become ``inf`` and their padding NaN."""
    return x.max(1), jnp.exp(x - y.max(1, keepdims=True)).sum(1)


def later_version(x, y):
    """The greatest of what the elements were before."""
    z = jnp.where(jnp.isinf(x), 1.0, x)
    return z.max(1), jnp.exp(z - x.max(1, keepdims=True)).sum(1)


def divided_by_another(x, y):
    """Zero by zero in the padding where valid elements are divided by zero."""
    weights = jnp.exp(x - x.max(1, keepdims=True))
    return (weights / y[:, :1]).sum(1)


def divided_along_the_line(x, y):
    """Each element by a total of its own."""
    weights = jnp.exp(x - x.max(1, keepdims=True))
    return (weights / jnp.where(y < 0, 0.0, y)).sum(1)


def divided_by_the_greatest(x, y):
    """The greatest may be zero, a total may not."""
    greatest = x.max(1, keepdims=True)
    return (jnp.exp(x - greatest) / greatest).sum(1)


def summed_before(x, y):
    """The padding of the elements is zero for their sum, and stays so."""
    z = jnp.exp(x)
    return z.sum(1), jax.nn.softmax(z, 1).sum(1), jax.nn.softmax(z, 1) @ y.T


def scaled(x, y):
    """Weights that are no shares any more: infinitely many times zero."""
    return (jnp.exp(x - x.max(1, keepdims=True)) * y[:, :1]).sum(1)


LOOK_ALIKES = (
    other_greatest,
    later_version,
    divided_by_another,
    divided_along_the_line,
    divided_by_the_greatest,
    summed_before,
    scaled,
)


@pytest.mark.parametrize("function", LOOK_ALIKES)
def test_what_only_looks_like_a_step_is_masked(function):
    x = floats(np.random.default_rng(5), B, T)
    x[2] = -INF
    x[4] = -np.abs(x[4])
    x[4, 1] = 0
    y = floats(np.random.default_rng(6), B, T)
    y[1], y[3], y[4] = -INF, 0.0, INF
    assert_equals_unpadded(function, TWO, x, y)


def test_the_greatest_of_the_other_lines_is_no_step():
    def crossed(x):
        scores = x @ x.T
        scores = jnp.where(jnp.arange(scores.shape[0])[:, None] == 2, -jnp.inf, scores)
        shifted = scores - scores.max(1)[None]  # the greatest of line 2 is -inf, and meets column 2
        return jnp.exp(shifted).sum(1), jnp.exp(shifted).sum(0)

    assert_equals_unpadded(crossed, {"x": {0: "b"}}, floats(np.random.default_rng(7), B, 4))
