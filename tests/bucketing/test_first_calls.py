"""The first call of each bucket: the first bucket against the unpadded function, later ones against it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import stagelight
from stagelight.bucketing.padding_context import PaddingContext

ROWS = {"x": {0: "b"}}


def ones(*shape):
    return np.ones(shape, np.float32)


@pytest.fixture
def compiled():
    found = []

    def listen(event, seconds, **_):
        if "backend_compile" in event:
            found.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield found
    jax.monitoring.unregister_event_duration_listener(listen)


def unmasked(monkeypatch):
    monkeypatch.setattr(PaddingContext, "valid_lanes", lambda self, shape, axes: np.ones((1,) * len(shape), bool))


def with_capacity_for_size(monkeypatch):
    """A defect that no padding shows: where a size is asked for, its capacity is given."""

    original = PaddingContext.__init__

    def begun(self, ranges, sizes, *args, **options):
        greatest = {name: np.int32(ranges[name][1]) for name in sizes}
        original(self, ranges, greatest, *args, **options)

    monkeypatch.setattr(PaddingContext, "__init__", begun)


@pytest.mark.parametrize("outputs", ["numpy", "jax", "padded"])
def test_only_the_first_bucket_compiles_the_unpadded_function(compiled, outputs):
    function = stagelight.bucketed(lambda x: (jnp.exp(x).sum(0), x * 2), dims=ROWS, outputs=outputs)
    compiled.clear()
    for size in (12, 5, 20, 40, 9):
        function(ones(size, 3))
    assert len(compiled) == 1 + 4
    assert [bucket.checked for bucket in function.buckets().buckets] == [True] * 4


@pytest.mark.parametrize("defect", [unmasked, with_capacity_for_size])
@pytest.mark.parametrize(("first", "later"), [(5, 12), (12, 5)], ids=["larger", "smaller"])
def test_a_defect_in_a_later_bucket_is_caught(monkeypatch, defect, first, later):
    function = stagelight.bucketed(lambda x: jnp.exp(x).mean(0), dims=ROWS)
    function(ones(first, 3))
    defect(monkeypatch)
    said = ""
    try:
        function(ones(later, 3))
    except stagelight.BucketMismatch as mismatch:
        said = str(mismatch)
    if function.buckets().exact:
        pytest.skip("this JAX compared a size with a number in a look-up of its own: the call ran without padding")
    assert f"than bucket b={8 if first == 5 else 16}, which was compared" in said


def test_two_sizes_are_cut_together():
    function = stagelight.bucketed(lambda x, y: (x @ y).sum(0), dims={"x": {0: "b", 1: "t"}, "y": {0: "t"}})
    for b, t in ((5, 20), (12, 3), (30, 9)):
        expected = ones(b, t) @ ones(t, 2)
        np.testing.assert_allclose(function(ones(b, t), ones(t, 2)), expected.sum(0))
    assert [bucket.checked for bucket in function.buckets().buckets] == [True] * 3


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (lambda n: jax.random.split(jax.random.key(0), n), {}),
        (lambda n: ones(n), {"donate_argnums": (0,)}),
        (lambda n: jnp.broadcast_to(jnp.asarray(1.0), (n,)), {}),
    ],
    ids=["keys", "donated", "weakly typed"],
)
def test_where_data_cannot_be_cut_the_unpadded_function_is_run(compiled, make, options):
    def function(x):
        return jax.random.uniform(x[0]) if jnp.issubdtype(x.dtype, jax.dtypes.prng_key) else x * 2

    bucketed = stagelight.bucketed(function, dims=ROWS, **options)
    arguments = [make(5), make(12)]
    for argument in arguments:
        bucketed(argument)
    assert [bucket.checked for bucket in bucketed.buckets().buckets] == [True, True]


def test_what_the_function_says_of_data_that_is_cut_reaches_nobody():
    def strict(x, wanted):
        if x.ndim != wanted:
            raise AssertionError("cut short")
        return (x * 2).sum()

    function = stagelight.bucketed(strict, dims=ROWS, static_argnames="wanted")
    assert [float(function(ones(n), wanted=1)) for n in (5, 12, 30)] == [10, 24, 60]


def test_another_dtype_is_compared_with_the_unpadded_function_again(compiled):
    function = stagelight.bucketed(lambda x: (x * 2).sum(), dims=ROWS)
    function(ones(5))
    compiled.clear()
    function(np.ones(12, np.int32))
    assert len(compiled) == 2


def test_a_ledger_shows_what_stagelight_itself_traced_as_no_miss_of_the_program():
    inner = jax.jit(lambda x: (x * 3).sum())

    def loss(x):
        return inner(x) + x.mean()

    function = stagelight.bucketed(loss, dims=ROWS)
    with stagelight.watch() as ledger:
        for size in (3, 9, 20, 5):
            function(ones(size))
    misses = [m for m in stagelight.why(ledger).misses if m.function.own]
    assert [m for m in misses if m.avoidable] == []
    looked = [m.causes[-1] for m in misses if m.ledger == "trace" and m.causes[-1].slug == "inspected"]
    assert {cause.after for cause in looked} == {"bucketing"}
    with stagelight.no_retrace():
        stagelight.bucketed(loss, dims=ROWS)(ones(30))
