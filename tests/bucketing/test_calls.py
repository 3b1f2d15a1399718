"""How a bucketed function is called, and what it gives back."""

import inspect
import threading
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import stagelight

ROWS = {"x": {0: "b"}}


def ones(*shape):
    return np.ones(shape, np.float32)


def numbers(*shape):
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def centred(x):
    return x - x.mean(0), x.mean(0)


@pytest.fixture
def function():
    return stagelight.bucketed(centred, dims=ROWS)


def test_three_sizes_of_a_bucket_share_an_executable(function):
    for size in (9, 12, 16):
        rows, mean = function(numbers(size, 3))
        np.testing.assert_allclose(rows, numbers(size, 3) - numbers(size, 3).mean(0), atol=1e-6)
        assert mean.shape == (3,)
    assert function.compiles == 1


def test_ragged_results_are_numpy_and_the_others_stay_on_the_device(function):
    rows, mean = function(numbers(9, 3))
    assert isinstance(rows, np.ndarray)
    assert isinstance(mean, jax.Array)


@pytest.mark.parametrize("size", [1, 9])
def test_results_have_one_form_at_every_size(size):
    rows, mean = stagelight.bucketed(centred, dims=ROWS)(numbers(size, 3))
    assert isinstance(rows, np.ndarray)
    assert isinstance(mean, jax.Array)
    pair, _ = stagelight.bucketed(centred, dims=ROWS, outputs="padded")(numbers(size, 3))
    assert pair.sizes == (size, 3)


def test_ragged_results_as_jax_arrays():
    rows, _ = stagelight.bucketed(centred, dims=ROWS, outputs="jax")(numbers(9, 3))
    assert isinstance(rows, jax.Array)
    assert rows.shape == (9, 3)


def test_ragged_results_padded():
    rows, _ = stagelight.bucketed(centred, dims=ROWS, outputs="padded")(numbers(9, 3))
    assert rows.values.shape == (16, 3)
    assert rows.sizes == (9, 3)
    np.testing.assert_allclose(rows.values[:9], numbers(9, 3) - numbers(9, 3).mean(0), atol=1e-6)


def test_sizes_0_and_1_run_without_padding(function):
    assert function(ones(1, 3))[0].shape == (1, 3)
    assert function(ones(0, 3))[0].shape == (0, 3)
    assert [run.sizes for run in function.buckets().exact] == [(0,), (1,)]


def test_a_decorator_keeps_name_and_signature():
    @stagelight.bucketed(dims=ROWS)
    def total(x, scale=2.0):
        """A docstring."""
        return (x * scale).sum()

    assert (total.__name__, total.__doc__) == ("total", "A docstring.")
    assert list(inspect.signature(total).parameters) == ["x", "scale"]
    assert float(total(ones(5))) == 10
    assert float(total(scale=3.0, x=ones(6))) == 18
    assert float(total(ones(7), 4.0)) == 28


def test_a_call_by_keyword_shares_the_executable_of_a_call_by_position(function):
    function(numbers(9, 3))
    function(x=numbers(10, 3))
    assert function.compiles == 1


def test_a_method():
    class Layer:
        def __init__(self, scale):
            self.scale = scale

        @stagelight.bucketed(dims=ROWS, static_argnames="self")
        def total(self, x):
            return (x * self.scale).sum()

    layer = Layer(3.0)
    assert float(layer.total(ones(5))) == 15
    assert float(layer.total(ones(6))) == 18
    assert Layer.total.compiles == 1


class Batch(NamedTuple):
    tokens: object
    weights: object


def weighted(batch, table):
    return (table[batch.tokens] * batch.weights[..., None]).sum((0, 1)), batch.weights.sum(1)


def test_every_array_of_a_pytree_argument_is_ragged():
    function = stagelight.bucketed(weighted, dims={"batch": {0: "b", 1: "t"}}, padding="poison")
    for b, t in ((5, 9), (6, 12)):
        batch = Batch(np.random.default_rng(0).integers(0, 10, (b, t)).astype(np.int32), numbers(b, t))
        for got, expected in zip(
            function(batch, numbers(10, 4)), jax.jit(weighted)(batch, numbers(10, 4)), strict=True
        ):
            np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
    assert function.compiles == 1


def test_dims_may_name_places_inside_an_argument():
    def scaled(batch):
        return batch["x"].sum() * batch["scale"].sum()

    function = stagelight.bucketed(scaled, dims={"batch": {"x": {0: "b"}}}, padding="poison")
    assert float(function({"x": ones(5), "scale": ones(2)})) == 10
    assert float(function({"x": ones(6), "scale": ones(2)})) == 12


def test_variable_arguments():
    function = stagelight.bucketed(
        lambda *xs, **named: sum(x.sum() for x in xs) + named["y"].sum(), dims={"xs": {0: "b"}, "named": {0: "b"}}
    )
    assert float(function(ones(5), ones(5), y=ones(5))) == 15
    assert float(function(ones(6), ones(6), y=ones(6))) == 18


def test_sizes_that_are_expressions_of_others():
    function = stagelight.bucketed(
        lambda x, y, z: x.sum() + y.sum() + z.max(),
        dims={"x": {0: "b"}, "y": {-1: "2*b"}, "z": {0: "b + 1"}},
        padding="poison",
    )
    assert float(function(ones(5), ones(2, 10), ones(6))) == 26
    assert float(function(ones(6), ones(2, 12), ones(7))) == 31


def test_static_arguments_are_part_of_the_program():
    function = stagelight.bucketed(
        lambda x, mode: getattr(x, mode)(), dims=ROWS, static_argnames="mode", check_first=False
    )
    assert [float(function(np.arange(5.0, dtype=np.float32), mode)) for mode in ("sum", "max", "sum")] == [10, 4, 10]
    assert function.compiles == 2


def test_donated_arguments():
    function = stagelight.bucketed(lambda state, x: state + x.sum(0), dims=ROWS, donate_argnames="state")
    state = jnp.zeros(3)
    for size in (5, 6, 7):
        state = function(state, ones(size, 3))
    np.testing.assert_array_equal(state, [18, 18, 18])


def test_under_an_outer_jit(function):
    outer = jax.jit(lambda x: function(x)[1] * 2)
    np.testing.assert_allclose(outer(numbers(9, 3)), numbers(9, 3).mean(0) * 2, rtol=1e-5)


def test_under_an_outer_vmap(function):
    rows, mean = jax.vmap(function)(numbers(4, 9, 3))
    np.testing.assert_allclose(mean, numbers(4, 9, 3).mean(1), rtol=1e-4, atol=1e-6)
    assert rows.shape == (4, 9, 3)


@pytest.mark.parametrize("padding", ["zeros", "poison"])
def test_under_an_outer_gradient(padding):
    def loss(w, x):
        return jnp.log(jnp.abs(x) * w).mean()  # log(0) in the padding has an infinite derivative

    function = stagelight.bucketed(loss, dims=ROWS, padding=padding)
    w, x = np.abs(numbers(3)) + 0.1, numbers(9, 3)
    value, gradients = jax.value_and_grad(function, (0, 1))(w, x)
    expected, expected_gradients = jax.value_and_grad(loss, (0, 1))(w, x)
    np.testing.assert_allclose(value, expected, rtol=1e-5)
    for got, right in zip(gradients, expected_gradients, strict=True):
        np.testing.assert_allclose(got, right, rtol=1e-5)


def test_inside_another_bucketed_function(function):
    outer = stagelight.bucketed(lambda x: function(x)[0] * 2, dims=ROWS, padding="poison")
    np.testing.assert_allclose(outer(numbers(9, 3)), centred(numbers(9, 3))[0] * 2, atol=1e-5)
    assert function.compiles == 0


def test_a_branch_on_an_equality_of_sizes_runs_for_both_answers():
    def halved(x):
        return x * 2 if x.shape[0] == 11 else x * 3

    function = stagelight.bucketed(halved, dims=ROWS)
    assert [function(ones(size))[0] for size in (9, 11, 12)] == [3, 2, 3]
    assert function.compiles == 2
    assert function.buckets().guards == ("b - 11",)


def test_sizes_that_are_equal_share_a_name_where_the_function_asks():
    def compared(x, y):
        return x.sum() * (2 if x.shape[0] == y.shape[0] else 3)

    function = stagelight.bucketed(compared, dims={"x": {0: "b"}, "y": {0: "t"}})
    assert [float(function(ones(b), ones(t))) for b, t in ((5, 6), (5, 5), (6, 6), (7, 5))] == [15, 10, 12, 21]
    assert function.compiles == 2
    assert not function.buckets().exact


def test_a_branch_on_an_order_of_sizes_holds_for_its_bucket():
    function = stagelight.bucketed(lambda x: x * 2 if x.shape[0] > 100 else x * 3, dims=ROWS)
    assert [function(ones(size))[0] for size in (9, 12, 120)] == [3, 3, 2]


def test_what_cannot_be_bucketed_can_run_exactly():
    function = stagelight.bucketed(lambda x: sum(x[i] for i in range(x.shape[0])), dims=ROWS, on_unsupported="exact")
    assert float(function(ones(5))) == 5
    assert float(function(ones(6))) == 6
    assert function.compiles == 2
    assert "cannot be traced" in function.buckets().refused


def test_an_error_of_the_users_own_is_raised_as_it_is():
    def broken(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        stagelight.bucketed(broken, dims=ROWS)(ones(5))


def test_a_python_operation_on_a_size_is_refused_with_its_line():
    def counted(x):
        return x * np.arange(x.shape[0])

    with pytest.raises(stagelight.BucketingRefused) as caught:
        stagelight.bucketed(counted, dims=ROWS)(ones(5))
    assert "return x * np.arange(x.shape[0])" in str(caught.value)
    assert __file__ in str(caught.value)


def test_the_first_call_of_a_bucket_is_checked(monkeypatch):
    from stagelight.bucketing.padding_context import PaddingContext

    function = stagelight.bucketed(lambda x: jnp.exp(x).sum(0), dims=ROWS)
    monkeypatch.setattr(PaddingContext, "valid_lanes", lambda self, shape, axes: np.ones((1,) * len(shape), bool))
    with pytest.raises(stagelight.BucketMismatch, match="bucket b=8"):
        function(ones(5, 3))


def test_threads_share_one_executable():
    function = stagelight.bucketed(lambda x: (x * 2).sum(), dims=ROWS, check_first=False)
    results, start = {}, threading.Barrier(4)

    def call(size):
        start.wait()
        results[size] = float(function(ones(size)))

    threads = [threading.Thread(target=call, args=(size,)) for size in (9, 10, 11, 12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {size: size * 2 for size in (9, 10, 11, 12)}
    assert function.compiles == 1


def test_the_report_says_what_happened():
    function = stagelight.bucketed(lambda x: jnp.exp(x).sum(), dims=ROWS)
    for size in (5, 6, 6, 12, 1):
        function(ones(size))
    report = function.buckets()
    assert [(b.capacities[0].capacity, b.calls) for b in report.buckets] == [(8, 3), (16, 1)]
    assert report.buckets[0].padding_share == pytest.approx(1 - 17 / 24)
    assert [(s.sizes, s.calls) for s in report.buckets[0].sizes] == [((5,), 1), ((6,), 2)]
    assert all(b.compiles == 1 and b.compile_s > 0 and b.checked for b in report.buckets)
    (mask,) = report.masks
    assert (mask.primitive, mask.dimensions, mask.value, mask.file) == ("reduce_sum", ("b",), "0.0", __file__)
    assert mask.line > 0
    assert mask.why
    assert (report.calls, report.compiles) == (5, 3)
    assert report.dimensions == ("b",)


def test_calls_are_announced_to_listeners_of_jax():
    heard = []

    def listen(event, **details):
        heard.append((event, details))

    function = stagelight.bucketed(lambda x: x.sum(), dims=ROWS)
    jax.monitoring.register_event_listener(listen)
    try:
        function(ones(5))
        function(ones(1))
    finally:
        jax.monitoring.unregister_event_listener(listen)
    ours = [(event, details) for event, details in heard if "stagelight" in event]
    calls = [(event, told.get("bucket") or told.get("sizes")) for event, told in ours if not event.endswith("looking")]
    assert calls == [("/stagelight/bucketed/call", "b=8"), ("/stagelight/bucketed/exact", "b=1")]
    looked = [told["state"] for event, told in ours if event.endswith("looking")]
    assert looked.count("began") == looked.count("ended") > 0


def test_random_keys_are_padded_too():
    function = stagelight.bucketed(
        lambda keys: jax.vmap(lambda key: jax.random.normal(key, (2,)))(keys), dims={"keys": {0: "b"}}
    )
    keys = jax.random.split(jax.random.key(0), 5)
    expected = jax.vmap(lambda key: jax.random.normal(key, (2,)))(keys)
    np.testing.assert_array_equal(function(keys), expected)
    function = stagelight.bucketed(lambda k, x: jax.random.split(k, x.shape[0]), dims=ROWS)
    got = function(jax.random.key(0), ones(5))
    np.testing.assert_array_equal(jax.random.key_data(got), jax.random.key_data(keys))


def test_results_do_not_depend_on_what_is_in_the_padding():
    """One executable, two fillings of the padding, the same bits."""

    def loss(x):
        return jax.nn.softmax(x, 0), (x.T @ x), jnp.sort(x, 0), lax.cumsum(x, reverse=True)

    function = stagelight.bucketed(loss, dims=ROWS, padding="poison", check_first=False)
    function(numbers(9, 3))
    ((program,),) = function._programs.by_bucket().values()
    results = []
    for filling in (0.0, np.nan, 3e38):
        padded = np.full((16, 3), filling, np.float32)
        padded[:9] = numbers(9, 3)
        results.append([np.asarray(a) for a in program.run([np.int32(9)], padded).arrays])
    for softmax, gram, ordered, summed in results[1:]:
        np.testing.assert_array_equal(softmax[:9], results[0][0][:9])
        np.testing.assert_array_equal(gram, results[0][1])
        np.testing.assert_array_equal(ordered[:9], results[0][2][:9])
        np.testing.assert_array_equal(summed[:9], results[0][3][:9])


def test_zero_padding_and_poison_give_the_same_bits():
    def step(x):
        return jax.grad(lambda w: (jnp.tanh(x @ w) ** 2).mean())(jnp.ones((3, 2)))

    plain, poisoned = (
        stagelight.bucketed(step, dims=ROWS, padding=padding)(numbers(9, 3)) for padding in ("zeros", "poison")
    )
    np.testing.assert_array_equal(plain, poisoned)


def test_a_checkpoint_keeps_its_barrier():
    def loss(w, x):
        return jax.grad(lambda w: jax.checkpoint(lambda w: jnp.sin(x @ w).sum())(w))(w)

    function = stagelight.bucketed(loss, dims=ROWS, check_first=False)
    function(ones(3), ones(5, 3))
    ((program,),) = function._programs.by_bucket().values()
    jaxpr = jax.make_jaxpr(program.run)([np.int32(5)], ones(3), ones(8, 3))
    assert "optimization_barrier" in str(jaxpr)
