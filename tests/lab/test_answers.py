"""Typed answers, by the kind of their question."""

import pytest

from stagelight.errors import UsageError
from stagelight.lab.answers import agrees, answer_from
from stagelight.model.lesson import Question


def question(kind: str, *choices: str) -> Question:
    return Question(id="q", question="?", kind=kind, observed="1", choices=choices)  # pyright: ignore


@pytest.mark.parametrize(
    ("kind", "typed", "kept"),
    [
        ("value", "29", "29"),
        ("value", " 29.0 ", "29.0"),
        ("value", "(1, 2)", "[1, 2]"),
        ("value", "f32[3]", '"f32[3]"'),
        ("value", "{1, 2}", '"{1, 2}"'),
        ("traces", "2", "2"),
        ("call", "0", "0"),
        ("cause", "Shape changed", '"shape-changed"'),
        ("cause", "`dtype_changed`", '"dtype-changed"'),
        ("binding-time", "Metadata", '"metadata"'),
    ],
)
def test_what_is_kept(kind, typed, kept):
    assert answer_from(question(kind), typed) == kept


@pytest.mark.parametrize(
    ("kind", "typed"),
    [("value", " "), ("traces", "two"), ("traces", "1.5"), ("traces", "-1"), ("traces", "True"), ("call", ""),
     ("binding-time", "runtime"), ("cause", "")],
)  # fmt: skip
def test_what_is_no_answer(kind, typed):
    with pytest.raises(UsageError, match="is no answer to q: type"):
        answer_from(question(kind), typed)


def test_a_choice_is_named_or_numbered():
    choices = question("cause", "first-trace", "shape-changed")
    assert answer_from(choices, "2") == answer_from(choices, "shape-changed") == '"shape-changed"'
    with pytest.raises(UsageError, match="none of the choices"):
        answer_from(choices, "3")


def test_a_choice_that_is_a_number_is_meant_itself():
    assert answer_from(question("value", "2", "1"), "1") == "1"


@pytest.mark.parametrize(
    ("answer", "key", "is_right"),
    [
        ("29", "29.0", True),
        ("0.3333333", "0.33333334", True),
        ("29", "30", False),
        ("true", "1", False),
        ("[1, 2]", "[1.0, 2]", True),
        ("[1]", "[1, 2]", False),
        ('"data"', '"data"', True),
        ("1", "", False),
    ],
)
def test_agreement(answer, key, is_right):
    assert agrees(answer, key) is is_right
