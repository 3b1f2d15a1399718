import concurrent.futures
import re

import jax
import numpy as np
import pytest

import stagelight

ROWS = {"x": {0: "b"}}


def step(w, x):
    return w - (x @ w).sum() * 0.1, x * 2


@pytest.fixture
def compiled():
    found = []

    def listen(event, seconds, **_):
        if "backend_compile" in event:
            found.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield found
    jax.monitoring.unregister_event_duration_listener(listen)


@pytest.mark.parametrize("executor", [None, concurrent.futures.ThreadPoolExecutor(2)])
def test_a_warmed_bucket_compiles_nothing_when_it_is_called(compiled, executor):
    function, told = stagelight.bucketed(step, dims=ROWS), []
    shape = jax.ShapeDtypeStruct((1, 3), np.float32)
    report = function.warm(np.ones(3, np.float32), shape, sizes=[5, 6, 12], progress=told.append, executor=executor)
    assert [bucket.warmed for bucket in report.buckets] == [True, True]
    assert [line.split()[0] for line in told] == ["1/2", "2/2"]
    assert function.compiles == 2
    compiled.clear()
    for size in (5, 8, 9, 16):
        function(np.ones(3, np.float32), np.ones((size, 3), np.float32))
    assert compiled == []
    assert function.compiles == 2


def test_all_combinations_of_two_sizes():
    function = stagelight.bucketed(lambda x: x.sum(), dims={"x": {0: "b", 1: "t"}})
    function.warm(jax.ShapeDtypeStruct((1, 1), np.float32), buckets={"b": [8, 16], "t": [8]})
    assert [tuple(c.capacity for c in b.capacities) for b in function.buckets().buckets] == [(8, 8), (16, 8)]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "warm needs either sizes=[...]"),
        ({"sizes": [5], "buckets": [8]}, "warm needs either sizes=[...]"),
        ({"buckets": [9]}, "{'b': 9} is no bucket of this function; the nearest is {'b': 16}"),
        ({"sizes": [{"c": 5}]}, "warm needs a size for each of 'b'"),
    ],
)
def test_what_cannot_be_warmed(asked, message):
    function = stagelight.bucketed(lambda x: x.sum(), dims=ROWS)
    with pytest.raises(stagelight.UsageError, match=re.escape(message)):
        function.warm(jax.ShapeDtypeStruct((1,), np.float32), **asked)


def test_a_function_that_cannot_be_bucketed_says_so_while_warming():
    function = stagelight.bucketed(lambda x: x * int(x.shape[0]), dims=ROWS)
    with pytest.raises(stagelight.BucketingRefused, match="cannot be traced"):
        function.warm(jax.ShapeDtypeStruct((1,), np.float32), sizes=[5])
