"""What cannot be right is refused at the door, in the user's words."""

import re

import jax
import numpy as np
import pytest

import stagelight
from stagelight import UsageError

ROWS = {"x": {0: "b"}}


def ones(*shape):
    return np.ones(shape, np.float32)


def total(x, y=None):
    return x.sum()


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        ({"z": {0: "b"}}, "dims names 'z', and the function's parameters are 'x', 'y'"),
        ({"x": {0: 8}}, "gives axis 0 the size 8; write the name of a size"),
        ({"x": "b"}, "dims of x must be axes with the names of their sizes"),
        ({"x": {0: "b*"}}, "'b*' is not a size"),
        ({"x": {0: "b.c"}}, "'b.c' is not a size"),
        ({"x": {0: "2*b"}}, "uses 'b', which no axis has alone"),
        ({"x": None}, "dims names no size"),
        ({}, "dims names no size"),
        (("b", "c", "d"), "dims has 3 entries, and the function has 2 parameters"),
        (7, "dims must say which axes are ragged"),
    ],
)
def test_malformed_dims(dims, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        stagelight.bucketed(total, dims=dims)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outputs": "torch"}, "outputs must be one of 'numpy', 'jax', 'padded'"),
        ({"padding": "ones"}, "padding must be one of 'zeros', 'poison'"),
        ({"on_unsupported": "guess"}, "on_unsupported must be one of"),
        ({"buckets": 8}, "buckets must be a policy"),
        ({"buckets": {"c": [8]}}, "buckets names 'c', and dims names 'b'"),
        ({"buckets": [0]}, "a capacity must be a positive integer"),
        ({"static_argnames": "z"}, "'z' is named as static"),
        ({"static_argnames": "x"}, "'x' cannot be static and also ragged"),
    ],
)
def test_malformed_options(options, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        stagelight.bucketed(total, dims=ROWS, **options)


def test_what_is_no_function():
    with pytest.raises(UsageError, match="bucketed takes a function"):
        stagelight.bucketed(3, dims=ROWS)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((np.float32(3),), "dims gives x the axes {0: 'b'}, and one of its arrays has shape ()"),
        (([1.0, 2.0],), "x is ragged by dims and holds float 1.0, which has no shape"),
        (("text",), "x is ragged by dims and holds str 'text'"),
        ((np.zeros(5, jax.dtypes.float0),), "x holds float0"),
        ((None,), "dims names x, which the argument does not have; it has nothing"),
        ((ones(5), "text"), "y is str 'text', which is no array; name it in static_argnames"),
        ((np.array(["a", "b"]),), "x"),
    ],
)
def test_arguments_that_do_not_fit(args, message):
    with pytest.raises((UsageError, TypeError), match=re.escape(message)):
        stagelight.bucketed(total, dims=ROWS)(*args)


def test_sizes_that_contradict_each_other():
    function = stagelight.bucketed(total, dims={"x": {0: "b"}, "y": {0: "b"}})
    with pytest.raises(UsageError, match="axis 0 of y has size 6 where 'b' is 5"):
        function(ones(5), ones(6))
    compound = stagelight.bucketed(total, dims={"x": {0: "b"}, "y": {0: "2*b"}})
    with pytest.raises(UsageError, match=re.escape("axis 0 of y has size 6 where '2*b' is 10")):
        compound(ones(5), ones(6))


def test_a_size_beyond_the_largest_bucket():
    function = stagelight.bucketed(total, dims=ROWS, buckets=stagelight.powers_of_two(8, 64))
    with pytest.raises(UsageError, match="'b': size 65 is beyond the largest bucket, 64"):
        function(ones(65))


def test_a_place_that_the_argument_does_not_have():
    function = stagelight.bucketed(lambda batch: batch["x"].sum(), dims={"batch": {"x": {0: "b"}, "y": {0: "b"}}})
    with pytest.raises(
        UsageError, match=re.escape("dims names batch['y'], which the argument does not have; it has batch['x']")
    ):
        function({"x": ones(5)})


def test_one_axis_named_twice():
    with pytest.raises(UsageError, match="names one axis of x twice"):
        stagelight.bucketed(total, dims={"x": {0: "b", -1: "b"}})(ones(5))


def test_a_missing_argument_is_pythons_own_error():
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        stagelight.bucketed(total, dims=ROWS)()


def test_a_function_that_closes_over_a_traced_value():
    def outer(w):
        return stagelight.bucketed(lambda x: (x * w).sum(), dims=ROWS)(ones(5))

    with pytest.raises(stagelight.BucketingRefused, match="closes over a value that is being traced"):
        jax.jit(outer)(1.0)
