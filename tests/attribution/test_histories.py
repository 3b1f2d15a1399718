"""Histories with one or two changed key parts give exactly the causes of these parts."""

from attribution.programs import Node, Program, captured, f32, i32, slugs, static, thing, value
from hypothesis import given, settings
from hypothesis import strategies as st

# Each part of a key: how a call has it, and the cause when it goes from one choice to another.
PARTS = {
    "shape": ("shape-changed", [3, 4, 5]),
    "dtype": ("dtype-changed", ["f32", "i32"]),
    "length": ("tree-structure-changed", [1, 2, 3]),
    "act": ("tree-metadata-changed", ["relu", "tanh"]),
    "mode": ("static-value-changed", ["sum", "mean", 1]),
    "config": ("static-object-recreated", [1, 2, 3]),
    "object": ("function-recreated", [1, 2]),
    "x64": ("context-changed", ["False", "True"]),
    "weak": ("weak-type-changed", [False, True]),
    "keyword": ("call-convention-changed", [False, True]),
}
START = {part: choices[0] for part, (_, choices) in PARTS.items()}


def call(key):
    """The arguments of a trace with this key."""
    leaf = f32 if key["dtype"] == "f32" else i32
    return {
        "x": leaf(key["shape"]),
        "y": [f32()] * key["length"],
        "model": Node("Model", {"w": f32(7)}, {"act": value(key["act"])}),
        "rate": f32(weak=key["weak"]),
        "mode": static(key["mode"]),
        "config": static(thing(key["config"], width=4)),
        "object": key["object"],
        "settings": {"jax_enable_x64": key["x64"]},
        "captured": (captured("k", 1),),
        "keywords": ("rate",) if key["keyword"] else (),
    }


@st.composite
def changes(draw):
    """One or two parts, each with another choice than the first."""
    parts = draw(st.lists(st.sampled_from(sorted(PARTS)), min_size=1, max_size=2, unique=True))
    return {part: draw(st.sampled_from(PARTS[part][1][1:])) for part in parts}


def traced(*keys):
    """The causes of the last of these traces."""
    program = Program(parameters=("x", "y", "model", "rate", "mode", "config"))
    for key in keys:
        causes = program.trace(**call(key))
    return causes


@settings(max_examples=60, derandomize=True, deadline=None)
@given(changes())
def test_exactly_the_changed_parts_are_named(changed):
    causes = slugs(traced(START, {**START, **changed}))
    assert sorted(causes) == sorted({PARTS[part][0] for part in changed})


@settings(max_examples=40, derandomize=True, deadline=None)
@given(st.lists(changes(), min_size=2, max_size=6))
def test_attribution_is_total_whatever_the_history(history):
    program = Program(parameters=("x", "y", "model", "rate", "mode", "config"))
    for changed in history:
        causes = program.trace(**call({**START, **changed}))
        assert causes
        named = {PARTS[part][0] for part in PARTS} | {"first-trace", "new-combination", "unknown"}
        assert set(slugs(causes)) <= named
    assert "unknown" not in slugs(causes) or slugs(causes) == ["unknown"]


@settings(max_examples=40, derandomize=True, deadline=None)
@given(changes(), changes())
def test_one_more_part_is_told_by_itself_after_any_other_change(first, second):
    part, choice = next(iter(second.items()))
    before = {**START, **{p: c for p, c in first.items() if p != part}}
    causes = slugs(traced(START, before, {**before, part: choice}))
    if len(before.items() ^ START.items()) == 0:
        return
    assert causes == [PARTS[part][0]]
