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


class Equal:
    """Callable objects that are equal."""

    def __init__(self, runs):
        self.runs = runs

    def __call__(self, x):
        self.runs.append(1)

    def __eq__(self, other):
        return isinstance(other, Equal)

    def __hash__(self):
        return 7


def traces_after_an_equal_function_was_cleared(j, *, again):
    runs = []
    first, second = j.jit(Equal(runs)), j.jit(Equal(runs))
    first(1.0)
    second.clear_cache()
    (first if again == "call" else first.trace)(1.0)
    return len(runs)


def test_an_equal_function_shares_the_tracing_cache_and_has_a_fast_path_of_its_own():
    jax.clear_caches()
    machine = Machine(jax.__version__)
    for again, traces in (("call", 1), ("trace", 2)):
        theirs = traces_after_an_equal_function_was_cleared(jax, again=again)
        assert theirs == traces_after_an_equal_function_was_cleared(machine, again=again) == traces


def error_of(call):
    try:
        call()
    except (ValueError, OverflowError) as error:
        return next(f.__name__ for f in (OverflowError, ValueError) if isinstance(error, f))


def test_static_values_are_hashed_before_integers_are_measured_unless_a_tracer_is_among_the_arguments():
    def errors(j):
        f = j.jit(lambda x, n, y=0: x, static_argnums=1)
        return (
            error_of(lambda: f(2**40, [1])),
            error_of(lambda: f.trace(2**40, [1])),
            error_of(lambda: j.jit(lambda a: (f(2**40, [1]), a)[1])(1.0)),
            error_of(lambda: j.jit(lambda a: (f(2**40, [1], a), a)[1])(1.0)),
        )

    assert errors(jax) == errors(Machine(jax.__version__))
    assert errors(jax) == ("ValueError", "OverflowError", "ValueError", "OverflowError")
