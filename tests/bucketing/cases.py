"""A case: a function over ragged arrays, and how it is held against the unpadded function."""

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import stagelight
from stagelight.bucketing import host_padding

SIZES = ((11, 5), (13, 7))  # (b, t): both pairs lie in the bucket b=16, t=8
BATCH = {"x": {0: "b"}}
GRID = {"x": {0: "b", 1: "t"}}


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    name: str
    function: Callable[..., Any]
    arguments: Callable[[np.random.Generator, int, int], tuple]
    dims: Any
    gradient: bool = True
    rtol: float = 2e-5
    atol: float = 2e-6
    options: dict = dataclasses.field(default_factory=dict)

    def __repr__(self):
        return self.name


def floats(random, *shape):
    return random.normal(size=shape).astype(np.float32)


def integers(random, *shape, low=-50, high=50):
    return random.integers(low, high, size=shape).astype(np.int32)


def key(random):
    return np.array([random.integers(0, 2**31), 7], np.uint32)


def rows(random, b, t):
    return (floats(random, b, 4),)


def vector(random, b, t):
    return (floats(random, b),)


def whole(random, b, t):
    return (integers(random, b),)


def grid(random, b, t):
    return (floats(random, b, t, 4),)


def of(function, arguments=rows, dims=BATCH, *, name, **more):
    return Case(name=name, function=function, arguments=arguments, dims=dims, **more)


def with_gradient(case):
    """The function, and the gradient of a scalar of its float results with respect to its float arguments."""
    if not case.gradient:
        return case.function

    def scalar(moved, places, args):
        args = list(args)
        for place, value in zip(places, moved, strict=True):
            args[place] = value
        results = jax.tree.leaves(case.function(*args))
        # A well-conditioned scalar: its own rounding must not stand out against a missing mask.
        return sum(jax.nn.soft_sign(r).sum() for r in results if jnp.issubdtype(r.dtype, jnp.floating))

    parameters = inspect.signature(case.function).parameters.values()
    names = [parameter.name for parameter in parameters if parameter.default is parameter.empty]

    def both(args):
        places = [i for i, a in enumerate(args) if jnp.issubdtype(a.dtype, jnp.floating)]
        return case.function(*args), jax.grad(scalar)([args[i] for i in places], places, args)

    source = f"lambda {', '.join(names)}: both(({', '.join(names)},))"
    return eval(source, {"both": both})


def bucketed(case, **options):
    options = {"padding": "poison", "check_first": False, **case.options, **options}
    return stagelight.bucketed(with_gradient(case), dims=case.dims, **options)


def assert_close(case, got, expected):
    got_leaves, got_tree = jax.tree.flatten(got)
    expected_leaves, expected_tree = jax.tree.flatten(expected)
    assert got_tree == expected_tree
    for one, other in zip(got_leaves, expected_leaves, strict=True):
        if jnp.issubdtype(one.dtype, jax.dtypes.prng_key):
            one, other = jax.random.key_data(one), jax.random.key_data(other)
        one, other = np.asarray(one), np.asarray(other)
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        if other.dtype.kind in "fc" and other.size:
            finite = np.abs(np.where(np.isfinite(other), other, 0)).max()
            np.testing.assert_allclose(one, other, rtol=case.rtol, atol=case.atol * max(1.0, float(finite)))
        else:
            np.testing.assert_array_equal(one, other)


def other_poison(dtype):
    """Another filling of the padding than the one that poisons it."""
    if jnp.issubdtype(dtype, jnp.inexact):
        return np.array(-np.inf, dtype)
    return np.array(False) if np.dtype(dtype) == np.bool_ else np.array(3, dtype)


def bits(results):
    """The results as bytes, to be equal to the last bit."""
    leaves = jax.tree.leaves(results)
    keys = [jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) for leaf in leaves]
    raw = [jax.random.key_data(leaf) if is_key else leaf for leaf, is_key in zip(leaves, keys, strict=True)]
    return [np.ascontiguousarray(leaf).tobytes() for leaf in raw]


def assert_equals_unpadded(case, sizes=SIZES, **options):
    """Several sizes of one bucket: one compile, the unpadded function's results, the same bits with other padding."""
    random = np.random.default_rng(0)
    function = bucketed(case, **options)
    plain = jax.jit(with_gradient(case))
    for b, t in sizes:
        args = case.arguments(random, b, t)
        results = function(*args)
        assert_close(case, results, plain(*args))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(host_padding, "poison_value", other_poison)
        assert bits(function(*args)) == bits(results)
    assert function.compiles == 1
    assert not function.buckets().exact
