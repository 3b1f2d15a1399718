"""A changed call is held against the base call, whatever the function was traced for before and between."""

import pytest

import stagelight
from stagelight.trial.base_comparison import aval_marks

jax = pytest.importorskip("jax")
jnp = jax.numpy


@pytest.fixture
def repeated():
    return jax.jit(lambda x, n: x * n, static_argnames="n")


def changes(table):
    return [[(c.slug, c.before, c.after) for c in row.causes] for row in table.rows[1:]]


WANTED = [
    [("shape-changed", "f32[3]", "f32[5]")],
    [("shape-changed", "f32[3]", "f32[6]")],
    [("dtype-changed", "f32[3]", "i32[3]")],
    [("static-value-changed", "2", "3")],
    [("static-value-changed", "2", "4")],
]


def varied(function):
    vary = {"x": [jnp.ones(5), jnp.ones(6), jnp.ones(3, int)], "n": [3, 4]}
    return stagelight.experiment(function, stagelight.call(jnp.ones(3), n=2), vary)


def test_a_row_is_not_compared_with_the_row_before(repeated):
    assert changes(varied(repeated)) == WANTED


def test_a_warm_base_call_is_found_among_what_was_traced_before(repeated):
    for x, n in ((jnp.ones(3), 2), (jnp.ones(4), 2), (jnp.ones(3), 9), (jnp.ones(3, int), 7)):
        repeated(x, n=n)
    assert changes(varied(repeated)) == WANTED


def test_another_structure_with_the_same_leaves_is_not_the_base_call():
    @jax.jit
    def product(x, pair):
        return x * pair[0] * pair[1]

    one, x = jnp.float32(1), jnp.ones(3)
    for pair in ((one, one), {0: one, 1: one}):
        product(x, pair)
    table = stagelight.experiment(product, stagelight.call(x, (one, one)), {"x": jnp.ones(3, int)})
    assert changes(table) == [[("dtype-changed", "f32[3]", "i32[3]")]]


def test_the_base_call_in_another_trace_context_is_not_the_base_call(repeated):
    with jax.default_matmul_precision("highest"):
        repeated(jnp.ones(3), n=2)
    repeated(jnp.ones(3), n=2)
    with jax.default_matmul_precision("high"):
        repeated(jnp.ones(3), n=2)
    assert changes(varied(repeated)) == WANTED


def test_a_cleared_cache_is_still_said(repeated):
    longer = jnp.ones(5)
    repeated(longer, n=2)

    def clearing(x, n):
        if x.shape == (5,):
            repeated.clear_cache()
        return repeated(x, n=n)

    with stagelight.watch():
        repeated(jnp.ones(3), n=2)
        table = stagelight.experiment(clearing, stagelight.call(jnp.ones(3), n=2), {"x": [longer, longer]})
    assert [c.slug for c in table.rows[2].causes] == ["cache-cleared"]


def test_marks_say_whether_a_type_is_weak():
    assert aval_marks({"a": 1.0, "b": jnp.ones((2, 1), jnp.int8)}) == [((), "float32", True), ((2, 1), "int8", False)]
