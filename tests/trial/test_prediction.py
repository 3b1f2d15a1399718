import random

import pytest

import stagelight
from stagelight.errors import UsageError
from stagelight.trial.prediction import RESULTS_DO_NOT_FEED

jax = pytest.importorskip("jax")
jnp = jax.numpy


def plain_function():
    return jax.jit(lambda x, mode="sum": getattr(x, mode)(), static_argnames="mode")


ARRAYS = [jnp.ones(2), jnp.ones(3), jnp.ones((2, 2)), jnp.ones(2, jnp.int32), jnp.float32(1.0), 1.0]


def some_calls(rng):
    calls = []
    for _ in range(rng.randint(2, 6)):
        mode = rng.choice([None, "sum", "mean", "max"])
        calls.append(stagelight.call(rng.choice(ARRAYS), **({} if mode is None else {"mode": mode})))
    return calls


def observed(function, calls):
    """Which calls traced the function, counted by its own body."""
    traced = []
    for one in calls:
        with stagelight.watch() as ledger:
            one.make(function)
        misses = stagelight.why(ledger).misses
        traced.append(any(m.ledger == "trace" and m.function.own for m in misses))
    return traced


@pytest.mark.parametrize("seed", range(6))
def test_what_is_predicted_is_what_happens(seed):
    rng = random.Random(seed)
    function, warm, calls = plain_function(), some_calls(rng)[:2], some_calls(rng)
    for one in warm:
        one.make(function)
    predicted = [p.traces for p in stagelight.predict(function, calls).calls]
    assert predicted == observed(function, calls)


def test_the_body_is_not_run_and_the_fast_path_stays():
    ran = []

    @jax.jit
    def double(x):
        ran.append(1)
        return x * 2

    double(ARRAYS[0])
    found = stagelight.predict(double, [(ARRAYS[0],), (ARRAYS[1],), (ARRAYS[1],)])
    assert ran == [1]
    assert [(p.traces, p.like, [c.slug for c in p.causes]) for p in found.calls] == [
        (False, 0, []),
        (True, 0, ["shape-changed"]),
        (False, 2, []),
    ]
    assert RESULTS_DO_NOT_FEED in found.notes
    with stagelight.watch() as ledger:
        double(ARRAYS[0])
        double(ARRAYS[0])
    assert len([m for m in stagelight.why(ledger).misses if m.ledger == "dispatch"]) <= 1


def test_a_watched_program_does_not_see_the_prediction():
    double = jax.jit(lambda x: x * 2)
    with stagelight.watch() as ledger:
        double(ARRAYS[0])
        stagelight.predict(double, [(ARRAYS[1],)])
        double(ARRAYS[0])
    assert [m.ledger for m in stagelight.why(ledger).misses if m.function.own] == ["trace", "compile"]


@pytest.mark.parametrize("wrapper", ["nnx", "eqx"])
def test_filtered_wrappers_are_predicted(wrapper):
    if wrapper == "nnx":
        nnx = pytest.importorskip("flax.nnx")
        model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
        step = nnx.jit(lambda m, x: m(x))
    else:
        eqx = pytest.importorskip("equinox")
        model = eqx.nn.Linear(2, 2, key=jax.random.key(0))
        step = eqx.filter_jit(lambda m, x: m(x))
    calls = [stagelight.call(model, jnp.ones(2)), stagelight.call(model, jnp.ones(2, jnp.bfloat16))]
    calls[0].make(step)
    found = stagelight.predict(step, [calls[0], calls[1]])
    assert [p.traces for p in found.calls] == [False, True]
    assert [c.slug for c in found.calls[1].causes] == ["dtype-changed"]


def test_something_that_is_no_call_is_refused():
    with pytest.raises(UsageError, match=r"write stagelight.call\(x\)"):
        stagelight.predict(jax.jit(abs), [1.0])


def test_the_key_rule_of_the_reference_machine_stands_beside_each_call():
    f = jax.jit(lambda x, n=0: x, static_argnums=1)
    f(jnp.ones(7))
    keys = jax.random.key(0)
    given = [(ARRAYS[0],), (jnp.zeros(2),), (ARRAYS[0], 0), (jnp.ones(7),), (keys,)]
    found = stagelight.predict(f, given)
    assert [(p.traces, p.machine.verdict, p.machine.differs) for p in found.calls] == [
        (True, "new key", ""),
        (False, "known key", ""),
        (True, "new key", ""),
        (False, "new key", ""),  # its key is from before the machine was asked
        (True, "not modelled", ""),
    ]
    assert found.calls[4].machine.about == f"the dtype {keys.dtype}"
    assert any(keys.dtype.name in note for note in found.notes)


def test_what_jax_jit_did_not_return_is_not_modelled():
    f = jax.jit(lambda x: x)
    found = stagelight.predict(lambda x: f(x), [(ARRAYS[0],)])
    assert [p.machine.verdict for p in found.calls] == ["not modelled"]
    assert any("function" in note and "JAX alone was asked" in note for note in found.notes)


def test_a_difference_from_jax_is_named():
    from stagelight.model.trial import Prediction
    from stagelight.trial.machine_opinion import opinion_on, with_opinion

    opinion = opinion_on(jax.jit(lambda x: x))
    same = stagelight.call(ARRAYS[0])
    first = with_opinion(Prediction(call=1, traces=True), opinion, same)
    again = with_opinion(Prediction(call=2, traces=True), opinion, same)
    other = with_opinion(Prediction(call=3, traces=False, like=1), opinion, stagelight.call(ARRAYS[1]))
    assert (first.differs, again.verdict) == ("", "known key")
    assert "earlier call had the same key" in again.differs
    assert "call 1" in other.differs
