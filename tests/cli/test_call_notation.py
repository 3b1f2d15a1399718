"""Calls are read in JAX's notation."""

import jax
import jax.numpy as jnp
import pytest

from stagelight.cli.call_notation import arguments_from_call
from stagelight.errors import UsageError


def test_avals_become_abstract_arrays():
    (x, y, z, flag), _ = arguments_from_call("f32[32,128], bf16[ 3, ], ~i32[], bool[2]", {})
    assert (x.shape, x.dtype) == ((32, 128), jnp.float32)
    assert (y.shape, y.dtype) == ((3,), jnp.bfloat16)
    assert (z.shape, z.dtype, z.weak_type) == ((), jnp.int32, True)
    assert flag.dtype == jnp.bool_


def test_containers_keywords_and_names_of_the_module():
    arguments, keywords = arguments_from_call(
        "{'w': f32[3], 'b': (f32[], None)}, size(2), mode='f32[3]'", {"size": lambda n: n + 1}
    )
    assert arguments[0]["w"].shape == (3,)
    assert arguments[0]["b"][1] is None
    assert arguments[1] == 3
    assert keywords == {"mode": "f32[3]"}


def test_keys_and_nothing():
    (key,), _ = arguments_from_call("key<fry>[]", {})
    assert jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
    assert arguments_from_call("", {}) == ((), {})


@pytest.mark.parametrize("text", ["f32[", "f32[3]; 1", "1 / 0", "g32[2]", "f32[3", "x"])
def test_what_is_no_call_is_refused(text):
    with pytest.raises(UsageError, match="call"):
        arguments_from_call(text, {})
