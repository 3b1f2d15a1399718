"""The lint sees each broken promise; a lint that cannot complain proves nothing."""

import pytest
from lab.lessons_for_tests import SMALL

from stagelight.lab.lesson_linting import linted
from stagelight.lab.lesson_reading import lesson_from_text

# The end of the reference solution, before the check.
TRIPLE = "return x * 3\n\n\ntriple(1.0)\n```\n\n```python check"


def complaints(examiner, text: str, **options) -> list[str]:
    found = linted(lesson_from_text(text, "07-small.md"), examiner, **options)
    return [f"{one.line}: {one.message}" for one in found.complaints]


def test_a_good_lesson_has_none(examiner):
    assert complaints(examiner, SMALL) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (TRIPLE, TRIPLE.replace("x * 3", "x * 4"), "the solution of triple is rejected: check-failed"),
        ("return x * 2\n", "return x * 3\n", "the starter of triple must fail by check-failed"),
        ('says = "three times"', 'says = "four times"', "saying 'four times'; it is check-failed"),
        ("return 3.0", "return x * 3", "wrong repair constant of triple must be rejected; it passes"),
        ("wrong nothing names-missing", "wrong nothing check-failed", "must be rejected as check-failed; it is"),
        ("wrong twice", "wrong constant", "3 wrong repairs; at least 3 with different names"),
        ("```text hint\nSecond.\n```\n", "", "1 hints; at least 2"),
        (', "triple(2.0) is not three times 2.0"', "", "asserts without a message"),
        ("learner.triple(2.0)", "6.0", "the check takes nothing from `learner`"),
        ("Make it triple.\n\n", "", "it has no task"),
        ("`jax.jit` wraps.\n\n", "", "a build step has a note before it"),
        ("traces('double')", "traces('double', 2)", "`observed` of traces raised TypeError"),
        ("traces('double')", "1.5", "the key of traces cannot be typed"),
        ('kind = "traces"', 'kind = "value"', "the key of traces is 0: with the kind count, other answers are refused"),
        ('id = "again"', 'id = "traces"', "two questions are called 'traces'"),
        ("print(double(", "print(dubble(", "the program raised NameError at line 6"),
        ("A problem.", "word " * 1001, "words of prose; at most 1000"),
        ("```python experiment\nprint(\"experiment\")\n```\n", "Nothing.\n", "the lesson has no ```python experiment"),
    ],
)  # fmt: skip
def test_a_broken_promise_is_named(examiner, old, new, complaint):
    assert old in SMALL
    found = complaints(examiner, SMALL.replace(old, new, 1))
    assert any(complaint in one for one in found), found


def test_a_prerequisite_must_be_a_lesson(examiner):
    text = SMALL.replace("minutes = 5", 'prerequisites = ["large"]\nminutes = 5')
    assert "1: there is no lesson 'large' to be a prerequisite" in complaints(examiner, text, known=["small"])
