import pytest

from stagelight.errors import UsageError
from stagelight.sizes.expression import is_name, parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("b", 5),
        ("2*b + t", 17),
        ("b^2 - 1", 24),
        ("floordiv(b, 2)", 2),
        ("mod(b, 3)", 2),
        ("max(b, t) - min(b, t)", 2),
        ("-b + 8", 3),
        ("- 2*floordiv(b - 3, 2) + b - 1", 2),
    ],
)
def test_value(text, value):
    assert parse(text).evaluate({"b": 5, "t": 7}) == value


def test_names_are_those_of_sizes():
    assert parse("max(b, t) + floordiv(b, 2)").names == ("b", "t")


def test_renamed():
    assert parse("2*b + t^2").renamed({"b": "t"}) == "2 * t + t ^ 2"


@pytest.mark.parametrize(
    "text", ["", "b +", "b.c", "f(b)", "b if t else 1", "max(b)", "'b'", "True", "[b]", "b < t", "1.5"]
)
def test_what_is_no_size_is_refused(text):
    with pytest.raises(UsageError, match="is not a size"):
        parse(text)


@pytest.mark.parametrize(("text", "answer"), [("b", True), ("2*b", False), ("max", False), ("b t", False)])
def test_is_name(text, answer):
    assert is_name(text) is answer
