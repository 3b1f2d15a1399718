import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stagelight.sizes import bounds as module
from stagelight.sizes.bounds import bounds
from stagelight.sizes.expression import parse

RANGES = {"b": (2, 9), "t": (3, 6)}


def least_and_greatest(text):
    names = parse(text).names
    sizes = itertools.product(*(range(RANGES[name][0], RANGES[name][1] + 1) for name in names))
    values = [parse(text).evaluate(dict(zip(names, chosen, strict=True))) for chosen in sizes]
    return min(values), max(values)


EXAMPLES = [
    "b",
    "7",
    "2*b - t",
    "b*t",
    "b - floordiv(b, 2)",
    "mod(b, 3)*b",
    "b^2 - b",
    "max(b, t) - t",
    "-b",
    "floordiv(-b, 2)",
    "min(4, b)",
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_tight_by_monotony_or_by_trying(text):
    assert bounds(text, RANGES) == least_and_greatest(text)


@pytest.mark.parametrize("text", [*EXAMPLES, "floordiv(t, b)", "mod(t, b)"])
def test_never_too_narrow_by_intervals(text, monkeypatch):
    monkeypatch.setattr(module, "_ENUMERATED_AT_MOST", 0)
    low, high = bounds(text, RANGES)
    least, greatest = least_and_greatest(text)
    assert low <= least
    assert high >= greatest


LEAVES = st.sampled_from(["b", "t", "1", "2", "3"])
TEXTS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds("({}) {} ({})".format, inner, st.sampled_from("+-*"), inner),
        st.builds("{}({}, {})".format, st.sampled_from(["max", "min"]), inner, inner),
        st.builds("{}({}, {})".format, st.sampled_from(["floordiv", "mod"]), inner, st.sampled_from(["2", "3"])),
    ),
    max_leaves=6,
)


@settings(max_examples=150, derandomize=True, deadline=None, database=None)
@given(TEXTS)
def test_random_sizes_are_bounded_tightly(text):
    assert bounds(text, RANGES) == least_and_greatest(text)
