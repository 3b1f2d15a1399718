"""Random call sequences hit and trace on the machine where they do on the JAX that is installed."""

import jax
from hypothesis import HealthCheck, Phase, given, settings
from reference import random_calls

from stagelight.reference import Machine

random_calls.register_with_jax()


@settings(
    max_examples=15,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
@given(random_calls.sequence)
def test_a_random_sequence_of_calls_traces_and_raises_where_jax_does(sequence):
    theirs = random_calls.JaxWorld().play(sequence)
    ours = random_calls.MachineWorld(jax.__version__).play(sequence)
    assert ours == theirs


def traces(machine, calls, **options):
    def f(x, n=0):
        return x

    staged = machine.jit(f, **options)
    counts = []
    for args, kwargs in calls:
        staged(*args, **kwargs)
        counts.append(staged.trace_count)
    return counts


def test_a_static_value_is_compared_with_its_type():
    calls = [((1.0, value), {}) for value in (1, 1.0, True, 1, (1,), (True,))]
    assert traces(Machine(), calls, static_argnums=1) == [1, 2, 3, 3, 4, 4]


def test_position_and_keyword_are_two_keys():
    calls = [((1.0, 2), {}), ((1.0,), {"n": 2}), ((1.0, 2), {}), ((2.0,), {"n": 3})]
    assert traces(Machine(), calls) == [1, 2, 2, 2]


def test_weak_type_dtype_and_shape_are_in_the_key_and_values_are_not():
    machine = Machine()
    one = machine.numpy.ones
    calls = [((x,), {}) for x in (1.0, 5.0, 1, machine.numpy.float32(1), one(3), one(4), one(3) + 1, one(3, int))]
    assert traces(machine, calls) == [1, 1, 2, 3, 4, 5, 5, 6]


def test_a_trace_that_raised_is_not_kept():
    machine, runs = Machine(), []

    def f(x):
        runs.append(x)
        return 1 if x > 0 else 2

    staged = machine.jit(f)
    for _ in range(2):
        assert machine.explain_call(staged, 1.0).outcome == "failed"
    assert len(runs) == 2


def test_a_new_function_object_is_another_function_and_the_dead_one_is_forgotten():
    machine = Machine()

    def make():
        return machine.jit(lambda x: x)

    first = make()
    first(1.0)
    second = make()
    second(1.0)
    assert (first.trace_count, second.trace_count, len(machine.caches.traced)) == (1, 1, 2)
    del first, second
    assert len(machine.caches.traced) == 0


def test_the_trace_context_is_in_the_key():
    machine = Machine()
    staged = machine.jit(lambda x: x)
    staged(1.0)
    with machine.settings(enable_x64=True):
        assert str(staged(1.0).dtype) == "float64"
    with machine.settings(default_matmul_precision="highest"):
        staged(1.0)
    staged(1.0)
    assert staged.trace_count == 3
