"""What a lock says of static values: the same wherever code stands, and whatever process it was seen in."""

import msgspec
import pytest

from stagelight.comparison.locked_key import locked_key
from stagelight.model.event import Traced
from stagelight.model.structure import Structure
from stagelight.model.value import Value


def function(name="relu", line=72):
    return Value(type_name="function", text=f"<{name} at layers.py:{line}>", token=f"#{line}", compared_by="identity",
                 content=f"digest {line}", source=f"layers.py:{line}")  # fmt: skip


def settings(line=72, width="4", number=1):
    fields = (("act", function(line=line)), ("width", Value(type_name="int", text=width, token=width)))
    return Value(type_name="Settings", text=f"Settings(act=<relu at layers.py:{line}>, width={width})",
                 token=f"#{number}", compared_by="identity", content=f"{line} {width}", fields=fields)  # fmt: skip


def said_of(value):
    traced = Traced(at_s=0.0, trace=1, function=1, static=(("mode", value),))
    return dict(msgspec.to_builtins(locked_key(traced, Structure(arguments=(), paths=()))))["static mode"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (function(line=72), function(line=99)),
        (settings(line=72, number=1), settings(line=99, number=2)),
    ],
)
def test_neither_lines_nor_object_numbers_are_in_it(one, other):
    assert said_of(one) == said_of(other)
    assert ":72" not in said_of(one)


@pytest.mark.parametrize(("one", "other"), [(function("relu"), function("gelu")), (settings(), settings(width="5"))])
def test_other_contents_are_told_apart(one, other):
    assert said_of(one) != said_of(other)


def test_long_values_that_are_cut_alike_are_told_apart():
    long = [Value(type_name="str", text="'aaaa…", token=digest) for digest in ("1f", "2e")]
    assert said_of(long[0]) != said_of(long[1])
