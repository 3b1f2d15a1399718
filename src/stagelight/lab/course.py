"""The lessons that are shipped, in their order, and how one is named on a command line."""

import functools
from importlib.resources import files
from pathlib import Path

from stagelight.errors import LabError
from stagelight.lab.lesson_reading import lesson_from_file
from stagelight.model.lesson import Exercise, Lesson


def lesson_files() -> tuple[Path, ...]:
    """The shipped lessons' files, in the course's order."""
    folder = Path(str(files("stagelight.lab"))) / "lessons"
    return tuple(sorted(folder.glob("[0-9]*.md")))


@functools.cache
def course() -> tuple[Lesson, ...]:
    """All shipped lessons, in their order."""
    return tuple(lesson_from_file(path) for path in lesson_files())


def stem_of(lesson: Lesson) -> str:
    """The lesson's name with its number, as its file and its folder are called.

    >>> stem_of(course()[0])
    '01-tracing-is-not-running'
    """
    return f"{lesson.number:02d}-{lesson.name}"


def lesson_called(text: str) -> Lesson:
    """A shipped lesson by number, name, or a part of its name that fits no other.

    Raises:
        LabError: There is none, or several.
    """
    exact = [one for one in course() if text in (one.name, stem_of(one), str(one.number), f"{one.number:02d}")]
    found = exact or [one for one in course() if text and text in one.name]
    if len(found) != 1:
        what = "no lesson" if not found else "more than one lesson"
        message = f"{what} is called {text!r}. List them with: stagelight learn list"
        raise LabError(message)
    return found[0]


def exercise_called(lesson: Lesson, text: str) -> Exercise:
    """An exercise of a lesson by its name or level.

    Raises:
        LabError: There is none.
    """
    for exercise in lesson.exercises:
        if text in (exercise.name, exercise.level):
            return exercise
    known = ", ".join(exercise.name for exercise in lesson.exercises)
    message = f"lesson {lesson.name} has no exercise {text!r}; it has {known}"
    raise LabError(message)
