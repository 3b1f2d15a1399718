"""Twenty ragged training steps end with the parameters that unbucketed steps end with."""

import jax
import numpy as np
import pytest
from bucketing.training_steps import TRAININGS

import stagelight

SIZES = ((11, 6), (9, 7), (14, 5))


def with_named_batch(training):
    """The step with its batch as one argument, so that dims can name it."""
    return lambda state, batch: training.step(state, *batch)


@pytest.mark.parametrize("training", TRAININGS, ids=lambda training: training.__name__)
def test_ragged_steps_equal_unbucketed_ones(training):
    training = training()
    axes = training.axes
    every = {0: "b"} if axes == 1 else {0: "b", 1: "t"} if axes == 2 else axes
    step = with_named_batch(training)
    bucketed = stagelight.bucketed(step, dims={"batch": every}, padding="poison", check_first=False)
    plain = jax.jit(step)
    random = np.random.default_rng(1)
    state, expected = training.state, training.state
    for turn in range(20):
        batch = training.batch(random, *SIZES[turn % len(SIZES)])
        state, loss = bucketed(state, batch)
        expected, right = plain(expected, batch)
        np.testing.assert_allclose(loss, right, rtol=training.rtol)
    for got, wanted in zip(jax.tree.leaves(state), jax.tree.leaves(expected), strict=True):
        got, wanted = (a if a.dtype.kind != "V" else jax.random.key_data(a) for a in map(_array, (got, wanted)))
        np.testing.assert_allclose(got, wanted, rtol=training.rtol * 10, atol=1e-4)
    assert bucketed.compiles == 1


def _array(leaf):
    if jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    return np.asarray(leaf)
