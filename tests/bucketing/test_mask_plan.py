"""A value is masked once, where it is defined, for all that will mix it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from bucketing.cases import GRID, floats

import stagelight
from stagelight.bucketing.mask_plan import MaskPlan
from stagelight.model.bucket import Mask

NOTE = Mask(primitive="dot_general", dimensions=("b",), value="0.0", file="f.py", line=1, why="a test")


def lowered(function, *args, **options):
    padded = stagelight.bucketed(function, dims=GRID, check_first=False, **options)
    jax.block_until_ready(padded(*args))
    programs = [program for of_bucket in padded._programs.by_bucket().values() for program in of_bucket]
    sizes = [np.int32(size) for size in args[0].shape[:2]]
    whole = [np.zeros((*programs[-1].capacities.values(), *args[0].shape[2:]), np.float32)]
    return padded, programs[-1].run.lower(sizes, *whole).as_text()


def test_an_axis_keeps_the_first_neutral_value():
    plan = MaskPlan()
    plan.add("v", [0], 0.0, NOTE, is_stored=False)
    plan.add("v", [0, 1], -np.inf, NOTE, is_stored=False)
    plan.add("v", [1], 0.0, NOTE, is_stored=True)
    assert list(plan.masks_of("v")) == []
    plan.is_open = False
    masks = [(mask.neutral, mask.axes, mask.is_stored) for mask in plan.masks_of("v")]
    assert masks == [(0.0, [0], False), (-np.inf, [1], False)]
    assert list(plan.masks_of("w")) == []


def test_a_value_that_is_mixed_thrice_is_masked_once():
    def function(x):
        y = jnp.exp(x)
        return y.sum((0, 1)), jnp.einsum("btd,bte->de", y, y), jnp.einsum("btd,bte->tde", y, y).sum(0)

    x = floats(np.random.default_rng(0), 5, 6, 3)
    padded, text = lowered(function, x, padding="poison")
    assert text.count("stablehlo.select") == 2  # of y, and of the products by place
    for one, other in zip(padded(x), jax.jit(function)(x), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5)


def test_every_bucket_has_the_masks_of_the_first():
    padded = stagelight.bucketed(lambda x: (jnp.sin(jnp.exp(x)).sum(0), jnp.exp(x).mean()), dims=GRID)
    masks = []
    for size in (5, 12, 20):
        padded(floats(np.random.default_rng(0), size, 6, 2))
        masks.append(padded.buckets().masks)
    assert padded.compiles == 3
    assert masks[0] == masks[1] == masks[2] != ()


def test_what_nothing_reads_needs_no_rule():
    def function(x):
        jnp.fft.fft(x, axis=0)  # refused where it is read
        return x.sum(0)

    x = floats(np.random.default_rng(0), 5, 6, 2)
    np.testing.assert_allclose(stagelight.bucketed(function, dims=GRID)(x), x.sum(0), rtol=2e-5)


def test_the_gradient_of_a_slice_is_padded_at_a_fixed_place():
    _, text = lowered(jax.grad(lambda x: (x[:, 1:] * x[:, :-1]).sum()), floats(np.random.default_rng(0), 5, 6, 3))
    assert "scatter" not in text
    assert "gather" not in text
    assert "dynamic" not in text.replace("dynamic_shape", "")


@pytest.mark.parametrize("weight", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("padding", ["zeros", "poison"])
def test_zero_times_an_infinite_weight_does_not_reach_a_result(padding, weight):
    """Zeros in the padding stay zero through a product with finite weights alone, so that is never counted on."""

    def descended(w, v, x):
        hidden = jnp.tanh(x @ w) @ v
        return jax.grad(lambda w, v: (jnp.tanh(x @ w) @ v).sum(), (0, 1))(w, v), hidden.sum((0, 1)), x.sum(1) @ w

    random = np.random.default_rng(0)
    w, v, x = floats(random, 4, 3), floats(random, 3, 2), floats(random, 5, 6, 4)
    w[1, 2] = v[0, 1] = weight
    function = stagelight.bucketed(descended, dims={"x": {0: "b", 1: "t"}}, padding=padding, check_first=False)
    pairs = zip(jax.tree.leaves(function(w, v, x)), jax.tree.leaves(jax.jit(descended)(w, v, x)), strict=True)
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)
