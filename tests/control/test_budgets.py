"""Budgets of traces, warnings beyond a count, and the fast path given back."""

import functools
import warnings

import equinox
import flax.nnx
import jax
import jax.numpy as jnp
import pytest

import stagelight
from stagelight.control.budgets import BUDGETS
from stagelight.control.standing_session import end_standing_session
from stagelight.errors import RetraceForbidden, RetraceWarning, UsageError


@pytest.fixture(autouse=True)
def _forget_budgets():
    yield
    BUDGETS.forget()
    stagelight.warn_after(None)
    end_standing_session()


def plain(x):
    return x * 2


def test_the_trace_beyond_the_budget_raises_with_its_cause():
    step = jax.jit(lambda x: x * 2)
    assert stagelight.max_traces(step, 1) is step
    step(jnp.ones(3))
    step(jnp.ones(3))
    with pytest.raises(RetraceForbidden, match="max_traces\\(1\\) forbids") as raised:
        step(jnp.ones(4))
    assert raised.value.misses[0].causes[0].slug == "shape-changed"


def test_a_budget_counts_from_where_it_stands():
    step = jax.jit(lambda x: x * 2)
    step(jnp.ones(3))
    stagelight.max_traces(step, 1)
    step(jnp.ones(4))
    with pytest.raises(RetraceForbidden):
        step(jnp.ones(5))


@pytest.mark.parametrize(
    "wrap",
    [
        jax.jit,
        lambda f: jax.jit(jax.vmap(f)),
        lambda f: jax.jit(functools.partial(f)),
        flax.nnx.jit,
        equinox.filter_jit,
    ],
    ids=["jit", "vmap", "partial", "nnx.jit", "eqx.filter_jit"],
)
@pytest.mark.parametrize("above", [True, False], ids=["above", "below"])
def test_it_stands_above_or_below_every_wrapper(wrap, above):
    def step(x):
        return x * 2

    jitted = stagelight.max_traces(limit=1)(wrap(step)) if above else wrap(stagelight.max_traces(limit=1)(step))
    jitted(jnp.ones(3))
    jitted(jnp.ones(3))
    with pytest.raises(RetraceForbidden):
        jitted(jnp.ones(4))


def test_a_budget_a_test_begins_anew():
    step = stagelight.max_traces(jax.jit(lambda x: x * 2), 1, per="test")
    step(jnp.ones(3))
    BUDGETS.begin_test()
    step(jnp.ones(4))
    with pytest.raises(RetraceForbidden, match="per='test'"):
        step(jnp.ones(5))


@pytest.mark.parametrize("wrong", [{"limit": -1}, {"limit": "two"}, {"limit": 1, "per": "year"}])
def test_wrong_budgets_raise_at_the_door(wrong):
    with pytest.raises(UsageError):
        stagelight.max_traces(plain, **wrong)


def test_what_holds_no_python_function_is_refused():
    with pytest.raises(UsageError, match="holds no Python function"):
        stagelight.max_traces(abs, 1)


def test_one_warning_a_function_with_the_reasons():
    stagelight.warn_after(2)
    step, other = jax.jit(lambda x: x * 2), jax.jit(plain)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for size in range(1, 6):
            step(jnp.ones(size))
        other(jnp.ones(1))
    assert [w.category for w in caught] == [RetraceWarning]
    assert str(caught[0].message).startswith("<lambda> was traced 3 times: 2 × shape-changed, 1 × first-trace.")
    assert caught[0].filename == __file__


def test_the_fast_path_that_an_error_took_comes_back():
    fails = [True]

    @jax.jit
    def step(x):
        if fails[0]:
            raise ValueError("once")
        return x * 2

    x = jnp.ones(3)
    with pytest.raises(ValueError, match="once"):
        step(x)
    fails[0] = False
    step(x)

    def slow_dispatches():
        with stagelight.watch() as ledger:
            for _ in range(3):
                step(x)
            return sum(type(entry).__name__ == "Dispatched" for entry in ledger.entries())

    assert slow_dispatches() == 3
    stagelight.restore_fast_path(step)
    step(x)
    assert slow_dispatches() == 0


def test_only_jitted_functions_have_a_fast_path_to_restore():
    with pytest.raises(UsageError, match=r"takes what jax\.jit returned"):
        stagelight.restore_fast_path(plain)
