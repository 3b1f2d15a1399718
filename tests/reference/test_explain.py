"""A call can be asked for the steps it took."""

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import pytest

from stagelight.model.machine_step import MachineCall
from stagelight.reference import Machine


def phases(call):
    return [step.phase for step in call.steps]


@pytest.fixture
def machine():
    return Machine()


@pytest.fixture
def scale(machine):
    def scale(x, n=2):
        return x * n

    return machine.jit(scale, static_argnames="n")


def test_the_steps_of_a_trace_and_of_a_hit(machine, scale):
    first = machine.explain_call(scale, np.ones(3, np.float32), n=2)
    again = machine.explain_call(scale, np.zeros(3, np.float32), n=2)
    assert (first.outcome, again.outcome) == ("traced", "fast path")
    assert phases(first) == ["split", "flatten", "abstract", "key", "look up", "trace", "run"]
    assert phases(again) == ["split", "flatten", "abstract", "key", "look up", "hit", "run"]
    assert first.jaxpr == "{ lambda ; a:f32[3]. let b:f32[3] = mul a 2.0:f32[] in (b,) }"
    assert again.differing == ()


def test_a_host_array_leaves_the_fast_path_but_hits_the_tracing_cache(machine, scale):
    outcomes = [
        machine.explain_call(scale, x).outcome
        for x in (machine.numpy.ones(3), np.ones(3, np.float32), machine.numpy.ones(3))
    ]
    assert outcomes == ["traced", "hit", "fast path"]


def test_what_differs_from_the_nearest_earlier_key_is_named_before_and_after(machine, scale):
    x = np.ones(3, np.float32)
    machine.explain_call(scale, x, n=2)
    shape = machine.explain_call(scale, np.ones(4, np.float32), n=2)
    static = machine.explain_call(scale, x, n=3)
    assert [(p.name, p.before, p.value) for p in shape.differing] == [("aval of x", "f32[3]", "f32[4]")]
    assert [(p.name, p.before, p.value) for p in static.differing] == [("static value of n", "2", "3")]


def test_an_error_and_a_refusal_are_told_and_not_raised(machine):
    branch = machine.explain_call(machine.jit(lambda x: 1 if x > 0 else 2), 1.0)
    assert branch.outcome == "failed"
    assert branch.error.startswith("TracerBoolConversionError: Attempted boolean conversion of traced array")
    assert "the argument x" in branch.error
    refused = machine.explain_call(machine.jit(lambda x: machine.numpy.fft(x)), 1.0)
    assert refused.outcome == "refused"
    assert "jax.numpy.fft" in refused.error


def test_whether_a_call_would_trace_needs_metadata_only_and_runs_nothing(machine):
    runs = []
    staged = machine.jit(runs.append)
    arguments = jax.ShapeDtypeStruct((3,), jnp.float32), jnp.ones(3), jnp.ones(4), jnp.zeros(4)
    assert [machine.would_trace(staged, x) for x in arguments] == [True, False, True, False]
    assert runs == []


def test_a_trace_needs_metadata_only_and_evaluates_nothing(machine):
    staged = machine.jit(lambda x: machine.numpy.sin(x))
    call = machine.explain_trace(staged, jax.ShapeDtypeStruct((3,), jnp.float32))
    assert (call.outcome, call.result, phases(call)[-1]) == ("traced", "", "trace")
    assert call.jaxpr == "{ lambda ; a:f32[3]. let b:f32[3] = sin a in (b,) }"


def test_what_fails_before_the_key_is_told_at_its_step(machine, scale):
    assert phases(machine.explain_call(scale, "text")) == ["abstract"]
    assert phases(machine.explain_call(scale, {1: 1.0, "a": 1.0})) == ["flatten"]


def test_the_record_can_be_written_and_read(machine, scale):
    call = machine.explain_call(scale, 1.0)
    assert msgspec.json.decode(msgspec.json.encode(call), type=MachineCall) == call


def test_a_value_of_the_users_own_type_is_named_and_not_asked_for_its_text(machine):
    class Loud:
        def __repr__(self):
            raise RuntimeError

    staged = machine.jit(lambda x, n: x, static_argnums=1)
    (key,) = [
        step for step in machine.explain_call(staged, 1.0, (Loud(), [1, "a"], (2,), len)).steps if step.phase == "key"
    ]
    values = [part.value for part in key.parts if part.name.startswith("static value")]
    assert values == [f"({Loud.__qualname__} object, [1, 'a'], (2,), len)"]
