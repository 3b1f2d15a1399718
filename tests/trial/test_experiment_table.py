import numpy as np
import pytest

import stagelight
from stagelight.errors import UsageError

jax = pytest.importorskip("jax")
jnp = jax.numpy


@pytest.fixture
def total():
    return jax.jit(lambda x, mode: getattr(x, mode)(), static_argnames="mode")


def test_each_factor_is_changed_alone_and_values_first(total):
    base = stagelight.call(jnp.arange(3.0), mode="sum")
    table = stagelight.experiment(
        total, base, vary={"x": [jnp.ones(4), np.ones(3, np.float32), jnp.ones(3, int)], "mode": "mean"}
    )
    assert [(r.factor, r.traces, r.compiles, r.slow_dispatches) for r in table.rows] == [
        ("values only", 0, 0, 0),
        ("x", 1, 1, 0),
        ("x", 0, 0, 1),
        ("x", 1, 1, 0),
        ("mode", 1, 1, 0),
    ]
    assert [[c.slug for c in r.causes] for r in table.rows] == [
        [],
        ["shape-changed"],
        ["host-array-argument"],
        ["dtype-changed"],
        ["static-value-changed"],
    ]
    assert (table.rows[-1].before, table.rows[-1].after) == ("'sum'", "'mean'")


def test_a_placement_compiles_without_a_trace(total):
    free = jnp.ones(3)
    placed = jax.device_put(free, jax.devices()[0])
    table = stagelight.experiment(total, stagelight.call(free, mode="sum"), vary={"x": placed})
    assert [(r.traces, r.compiles) for r in table.rows] == [(0, 0), (0, 1)]


def test_an_error_is_a_row_and_not_the_end(total):
    table = stagelight.experiment(total, stagelight.call(jnp.ones(3), mode="sum"), vary={"mode": ["typo", "mean"]})
    assert table.rows[1].error.startswith("AttributeError")
    assert table.rows[2].traces == 1


def test_an_argument_that_the_base_call_lacks_is_named(total):
    with pytest.raises(UsageError, match="no argument 'y' to vary; it has x, mode"):
        stagelight.experiment(total, stagelight.call(jnp.ones(3), mode="sum"), vary={"y": 1})


def test_what_was_warm_before_is_what_a_change_is_compared_with(total):
    base = stagelight.call(jnp.ones(3), mode="sum")
    base.make(total)
    table = stagelight.experiment(total, base, vary={"x": jnp.ones(4), "mode": "mean"})
    assert [[(c.slug, c.path) for c in r.causes] for r in table.rows[1:]] == [
        [("shape-changed", "x")],
        [("static-value-changed", "mode")],
    ]
