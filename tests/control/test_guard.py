"""What a guard stops, what it lets through, and what it leaves behind."""

import contextlib
import logging
import threading
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import stagelight
from stagelight.errors import RetraceForbidden, RetraceWarning, UsageError
from stagelight.recorder.session import active_session


@pytest.fixture
def short():
    return jnp.ones(3)


@pytest.fixture
def long():
    return jnp.ones(4)


def warmed(*inputs):
    """A jitted function that has served the inputs, and the list of shapes that its body ran for."""
    ran = []

    @jax.jit
    def step(x):
        ran.append(x.shape)
        return x * 2

    for x in inputs:
        step(x)
    return step, ran


def test_a_warm_call_passes(short):
    step, ran = warmed(short)
    with stagelight.no_retrace() as guard:
        step(short)
    assert guard.misses == []
    assert ran == [(3,)]


def test_a_retrace_raises_before_the_body_runs(short, long):
    step, ran = warmed(short)
    with pytest.raises(RetraceForbidden) as raised, stagelight.no_retrace():
        step(long)
    assert ran == [(3,)]
    miss = raised.value.misses[0]
    assert (miss.ledger, miss.function.name, miss.call.function) == (
        "trace",
        "step",
        "test_a_retrace_raises_before_the_body_runs",
    )
    assert [(c.slug, c.path, c.before, c.after) for c in miss.causes] == [("shape-changed", "x", "f32[3]", "f32[4]")]


def test_the_message_says_what_where_why_and_what_to_do(short, long):
    step, _ = warmed(short)
    with pytest.raises(RetraceForbidden) as raised, stagelight.no_retrace():
        step(long)
    lines = str(raised.value).splitlines()
    assert lines[0] == "step was about to be traced again, which no_retrace forbids here."
    assert "test_guard.py" in lines[1]
    assert lines[3] == "  cause       shape-changed: x was f32[3], is f32[4]"
    assert lines[-1] == "  read more   stagelight rule shape-changed"


def test_numpy_input_of_a_warm_function_passes(short):
    step, _ = warmed(short)
    with stagelight.no_retrace():
        step(np.ones(3, np.float32))


def test_another_wrapper_of_a_traced_function_passes(short):
    def double(x):
        return x * 2

    jax.jit(double)(short)
    with stagelight.no_retrace(traces=0, compiles=None):
        jax.jit(double)(short)


def test_a_first_trace_passes_and_the_next_one_does_not(short, long):
    step, ran = warmed()
    with stagelight.no_retrace():
        step(short)
    assert ran == [(3,)]
    with pytest.raises(RetraceForbidden), stagelight.no_retrace():
        step(long)


def test_serving_forbids_first_traces_and_eager_operations(short):
    step, _ = warmed(short)
    serving = {"first": "forbid", "functions": "all", "threads": "all"}
    with stagelight.no_retrace(**serving):
        step(short)
    with pytest.raises(RetraceForbidden, match="first-trace"), stagelight.no_retrace(**serving):
        jax.jit(lambda x: x + 1)(short)
    with pytest.raises(RetraceForbidden), stagelight.no_retrace(**serving):
        jnp.ones((2, 3, 5, 7)) * 3


def test_library_functions_are_not_looked_at(short):
    with stagelight.no_retrace():
        for size in range(2, 5):
            jnp.where(jnp.ones(size) > 0, 1.0, 2.0)


def test_a_compile_without_a_trace_raises(short):
    step, _ = warmed(short)
    committed = jax.device_put(short, jax.devices()[0])
    with pytest.raises(RetraceForbidden) as raised, stagelight.no_retrace():
        step(committed)
    assert [(m.ledger, m.causes[0].slug) for m in raised.value.misses] == [("compile", "committed-changed")]


def swallowing(error, step, x, then=None):
    """Call, swallow an error, and raise another where one is given."""
    try:
        step(x)
    except error:
        if then is not None:
            raise then from None


def test_a_swallowed_exception_is_raised_where_the_block_ends(short, long):
    step, _ = warmed(short)
    with pytest.raises(RetraceForbidden), stagelight.no_retrace():
        swallowing(Exception, step, long)


def test_the_programs_own_exception_comes_first(short, long):
    step, _ = warmed(short)
    with pytest.raises(KeyError), stagelight.no_retrace():
        swallowing(RetraceForbidden, step, long, then=KeyError("its own"))


def test_a_nested_function_raises_through_the_outer_one(short, long):
    inner, ran = warmed(short)
    with pytest.raises(RetraceForbidden, match="step was about to be traced again"), stagelight.no_retrace():
        jax.jit(lambda x: inner(x) + 1)(long)
    assert ran == [(3,)]


def slow_dispatches_of(step, x, calls: int) -> int:
    """How many of some calls leave the fast path, after two that may refill it."""
    step(x)
    step(x)
    with stagelight.watch() as ledger:
        for _ in range(calls):
            step(x)
        return sum(type(entry).__name__ == "Dispatched" for entry in ledger.entries())


def stop_once(step, x):
    with pytest.raises(RetraceForbidden), stagelight.no_retrace():
        step(x)


def test_a_stopped_trace_keeps_the_fast_path(short, long):
    step, _ = warmed(short)
    stop_once(step, long)
    assert slow_dispatches_of(step, long, 5) == 0
    assert slow_dispatches_of(step, short, 5) == 0


def test_a_stopped_compile_keeps_the_fast_path(short):
    step, _ = warmed(short)
    committed = jax.device_put(short, jax.devices()[0])
    stop_once(step, committed)
    assert slow_dispatches_of(step, committed, 5) == 0


def test_a_stopped_nested_trace_keeps_the_fast_path(short, long):
    inner, _ = warmed(short)
    outer = jax.jit(lambda x: inner(x) + 1)
    outer(short)
    stop_once(outer, long)
    assert slow_dispatches_of(outer, long, 5) == 0
    assert slow_dispatches_of(outer, short, 5) == 0


def test_what_was_stopped_may_be_traced_later_as_if_nothing_had_been(short, long):
    step, ran = warmed(short)
    stop_once(step, long)
    stop_once(step, long)
    step(long)
    assert ran == [(3,), (4,)]
    with stagelight.no_retrace():
        step(long)


def test_free_traces_are_counted(short, long):
    step, ran = warmed(short)
    with pytest.raises(RetraceForbidden), stagelight.no_retrace(traces=1):
        list(map(step, [long, jnp.ones(5)]))
    assert ran == [(3,), (4,)]


def test_traces_may_be_left_alone(short, long):
    step, _ = warmed(short)
    with stagelight.no_retrace(traces=None):
        step(long)


def test_allowed_causes_and_other_names_pass(short, long):
    step, _ = warmed(short)
    with stagelight.no_retrace(allow="shape-changed"):
        step(long)
    with stagelight.no_retrace(only="train_*"):
        step(jnp.ones(5))
    with pytest.raises(RetraceForbidden), stagelight.no_retrace(only=["st?p"]):
        step(jnp.ones(6))


def test_slow_calls_raise_at_the_end_where_they_are_counted(short):
    step, _ = warmed(short)
    with pytest.raises(RetraceForbidden, match="left the fast path"), stagelight.no_retrace(dispatches=0):
        step(np.ones(3, np.float32))


def test_other_threads_are_looked_at_on_request(short, long):
    step, ran = warmed(short)
    errors = []

    def work():
        try:
            step(long)
        except RetraceForbidden as error:
            errors.append(error)

    def run():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    with pytest.raises(RetraceForbidden), stagelight.no_retrace(threads="all"):
        run()
    assert len(errors) == 1
    assert ran == [(3,)]
    with stagelight.no_retrace():
        run()
    assert ran == [(3,), (4,)]


def test_a_warning_stands_at_the_users_line(short, long):
    step, ran = warmed(short)
    with warnings.catch_warnings(record=True) as caught, stagelight.no_retrace(action="warn"):
        warnings.simplefilter("always")
        step(long)
    assert [w.category for w in caught] == [RetraceWarning]
    assert caught[0].filename == __file__
    assert ran == [(3,), (4,)]


def test_a_warning_that_is_an_error_stops(short, long):
    step, ran = warmed(short)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RetraceWarning), stagelight.no_retrace(action="warn"):
            step(long)
    assert ran == [(3,)]


def test_a_log_line_is_written(short, long, caplog):
    step, _ = warmed(short)
    with caplog.at_level(logging.WARNING, "stagelight"), stagelight.no_retrace(action="log"):
        step(long)
    assert [record.name for record in caplog.records] == ["stagelight"]


def test_calls_before_the_given_one_may_trace(short, long):
    step, ran = warmed(short)

    def serve(inputs):
        for x in inputs:
            step(x)

    with pytest.raises(RetraceForbidden), stagelight.no_retrace(after=3):
        serve([short, long, jnp.ones(5)])
    assert ran == [(3,), (4,)]


def test_a_decorated_function_is_guarded_at_each_call(short, long):
    step, _ = warmed(short)
    serve = stagelight.no_retrace()(step)
    serve(short)
    with pytest.raises(RetraceForbidden):
        serve(long)
    serve(short)


def test_nothing_of_the_guard_stays(short):
    step, _ = warmed(short)
    with stagelight.no_retrace():
        step(short)
    assert active_session() is None


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"first": "never"}, "first='never': choose one of 'allow', 'forbid'"),
        ({"action": "explode"}, "action='explode'"),
        ({"traces": -1}, "traces=-1: give a count"),
        ({"traces": True}, "traces=True: give a count"),
        ({"allow": "shape-chnaged"}, "Did you mean shape-changed"),
    ],
)
def test_wrong_options_raise_at_the_door(options, complaint):
    with pytest.raises(UsageError, match=complaint):
        stagelight.no_retrace(**options)


def test_what_a_stop_costs_a_warm_call_is_not_the_programs_doing(short, long):
    double = jax.jit(lambda x: x * 2)
    with stagelight.watch() as ledger:
        double(short)
        with contextlib.suppress(RetraceForbidden), stagelight.no_retrace():
            double(long)
        double(short)
    assert [m.ledger for m in stagelight.why(ledger).misses if m.function.own] == ["trace", "compile"]
