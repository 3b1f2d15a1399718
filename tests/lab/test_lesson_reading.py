"""A lesson's text becomes a lesson, or an error that names file and line."""

import pytest
from lab.lessons_for_tests import SMALL

from stagelight.errors import LessonError
from stagelight.lab.lesson_reading import lesson_from_file, lesson_from_text
from stagelight.lab.requests import pieces_of, source_of


def test_every_part_is_found():
    lesson = lesson_from_text(SMALL, "07-small.md")
    assert (lesson.number, lesson.name, lesson.problem, lesson.idea) == (7, "small", "A problem.", "An idea.")
    assert [question.id for question in (*lesson.predictions, *lesson.checkpoints)] == ["traces", "again"]
    assert lesson.build[0].note == "`jax.jit` wraps."
    exercise = lesson.exercises[0]
    assert (exercise.task, exercise.traces, exercise.compiles) == ("Make it triple.", 1, None)
    assert [(one.name, one.rejected_as) for one in exercise.mutants] == [
        ("constant", ""),
        ("nothing", "names-missing"),
        ("twice", "traces-over-budget"),
    ]
    assert exercise.hints == ("First.", "Second.")
    assert SMALL.splitlines()[exercise.line - 1] == 'name = "triple"'


def test_pieces_stand_where_their_lines_say():
    pieces = pieces_of(lesson_from_text(SMALL, "07-small.md"))
    lines = source_of(pieces).splitlines()
    assert [lines[piece.line - 1] for piece in pieces] == [piece.code.splitlines()[0] for piece in pieces]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("+++\nname", "name", "07-small.md:1: a lesson begins with TOML"),
        ('level = "foundation"\nminutes', "level = foundation\nminutes", "07-small.md:2: this is not TOML"),
        ('level = "foundation"\nminutes', "minutes", "07-small.md:1: .*`level`"),
        ('name = "small"', 'name = "other"', "NN-NAME.md"),
        ("A problem.\n\n", "", "the lesson's problem"),
        ("## Idea", "## Thoughts", "a lesson has the sections Idea, Predict"),
        ("## Checkpoint", "## Evidence\n\nEarly.\n\n## Checkpoint", "in this order"),
        ("```python run", "```python ran", "07-small.md:38: a block ```python ran .* none of the roles"),
        ("```python run", "```python build", "stands under 'Build'"),
        ('kind = "traces"', 'kind = "colour"', "07-small.md:19: Invalid enum value 'colour'"),
        ('kind = "traces"', 'kind = "traces"\nanswer = 1', "a prediction has no answer"),
        ("```python check", "```python", "an exercise has one ```python check, not 0"),
        ("```python wrong constant", "```python wrong", "a wrong repair is named"),
        ('functions = ["<lambda>"]\n```\n', 'functions = ["<lambda>"]\n', "no closing"),
    ],
)
def test_what_is_wrong_is_named(old, new, complaint):
    assert old in SMALL
    with pytest.raises(LessonError, match=complaint):
        lesson_from_text(SMALL.replace(old, new, 1), "07-small.md")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(LessonError, match="cannot be read"):
        lesson_from_file(tmp_path / "01-none.md")
