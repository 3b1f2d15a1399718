"""Typed answers, by the kind of their question."""

from typing import get_args

import pytest

from stagelight.errors import UsageError
from stagelight.lab.answers import READERS, WANTED, agrees, answer_from
from stagelight.model.lesson import Question, QuestionKind


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
        ("count", "12", "12"),
        ("number", "-0.5", "-0.5"),
        ("number", "NaN", '"nan"'),
        ("truth", "true", "true"),
        ("truth", "No", "false"),
        ("list", "[1, 2.5]", "[1, 2.5]"),
        ("list", "(2.0, nan,)", '[2.0, "nan"]'),
        ("list", "[]", "[]"),
        ("traces", "2", "2"),
        ("call", "0", "0"),
        ("cause", "Shape changed", '"shape-changed"'),
        ("cause", "`dtype_changed`", '"dtype-changed"'),
        ("cause", "none", '"none"'),
        ("cause", "traced-condition", '"traced-condition"'),
        ("binding-time", "Metadata", '"metadata"'),
    ],
)
def test_what_is_kept(kind, typed, kept):
    assert answer_from(question(kind), typed) == kept


@pytest.mark.parametrize(
    ("kind", "typed"),
    [("value", " "), ("traces", "two"), ("traces", "1.5"), ("traces", "-1"), ("traces", "True"), ("call", ""),
     ("binding-time", "runtime"), ("cause", ""), ("cause", "because"), ("count", "many"), ("count", "2.0"),
     ("count", "-1"), ("count", "True"), ("number", "two"), ("number", "True"), ("number", "[1]"), ("truth", "maybe"),
     ("truth", "1"), ("list", "2.0"), ("list", "[a]"), ("list", "[1, True]"), ("list", "[1, 2")],
)  # fmt: skip
def test_what_is_no_answer(kind, typed):
    with pytest.raises(UsageError, match="is no answer to q: type"):
        answer_from(question(kind), typed)


def test_a_cause_that_does_not_exist_is_answered_with_the_nearest():
    with pytest.raises(UsageError, match=r"'shape' is no answer .* Did you mean shape-changed, "):
        answer_from(question("cause"), "shape")
    with pytest.raises(UsageError, match=r"Did you mean dtype-changed\?"):
        answer_from(question("cause"), "dtype-change")
    with pytest.raises(UsageError, match=r"List them with: stagelight rule"):
        answer_from(question("cause"), "xyz")


def test_every_kind_is_read_and_worded():
    kinds = set(get_args(QuestionKind.__value__))
    assert kinds == set(READERS) == set(WANTED)


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
