"""Which lesson and exercise a command line means; where it names none, the next ones."""

from stagelight.errors import LabError
from stagelight.lab.course import course, exercise_called, lesson_called
from stagelight.lab.progress import next_exercise, next_lesson
from stagelight.lab.study import Study
from stagelight.model.lesson import Exercise, Lesson


def pointed_lesson(study: Study, text: str | None) -> Lesson:
    """The lesson that is named, or the first one that is not done.

    Raises:
        LabError: There is no such lesson, or all are done.
    """
    lesson = lesson_called(text) if text else next_lesson(course(), study.journal.entries)
    if lesson is None:
        message = "all lessons are done: name one by its number"
        raise LabError(message)
    return lesson


def pointed_exercise(study: Study, lesson: Lesson, text: str | None) -> Exercise:
    """The exercise that is named, or the lesson's first one that has not passed.

    Raises:
        LabError: There is no such exercise, or all have passed.
    """
    if text:
        return exercise_called(lesson, text)
    exercise = next_exercise(lesson, study.progress(lesson))
    if exercise is None:
        known = ", ".join(one.name for one in lesson.exercises)
        message = f"all exercises of lesson {lesson.number} have passed: name one of {known}"
        raise LabError(message)
    return exercise


def typed_answers(words: tuple[str, ...]) -> dict[str, str]:
    """``ID=ANSWER`` words as question → answer.

    Raises:
        LabError: A word has not this form.
    """
    typed: dict[str, str] = {}
    for word in words:
        name, separator, answer = word.partition("=")
        if not separator or name in typed:
            what = f"{name} is answered twice" if separator else f"{word!r} is no answer"
            message = f"{what}: write ID=ANSWER, once for each question"
            raise LabError(message)
        typed[name] = answer
    return typed
