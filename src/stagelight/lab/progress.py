"""Where a learner stands, worked out from the journal alone."""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from stagelight.lab.verdicts import PASSED
from stagelight.model.journal import (
    Checked,
    CheckpointAnswered,
    Entry,
    GaveUp,
    Hinted,
    Predicted,
    Ran,
    Received,
    WasReset,
)
from stagelight.model.lesson import Exercise, Lesson

type Part = Literal["predict", "run", "repair", "checkpoint", "evidence", "done"]


class ExerciseProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far an exercise is.

    Attributes:
        passed: Whether a repair passed.
        source_digest: Hash of the last repair that passed.
        attempts: How often it was checked.
        hints: How many hints were read.
        gave_up: Whether the solution was shown before it passed.
    """

    passed: bool = False
    source_digest: str = ""
    attempts: int = 0
    hints: int = 0
    gave_up: bool = False


class LessonProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a lesson is.

    Attributes:
        part: What comes next.
        predicted: The entry of the predictions, made before any run.
        ran: The entry of the run that they are held against.
        answered: The entry of the checkpoint.
        exercises: By name.
        receipt_digest: Of the last receipt.
    """

    part: Part
    predicted: Entry | None
    ran: Entry | None
    answered: Entry | None
    exercises: dict[str, ExerciseProgress]
    receipt_digest: str


def lesson_progress(lesson: Lesson, entries: Iterable[Entry]) -> LessonProgress:
    """How far a lesson is.

    A prediction counts only if no run of the lesson stands before it in the journal, and a run only if the prediction
    stands before it; a reset begins both anew. Predictions, runs and answers hold for the text of the lesson that they
    were made for.

    Args:
        lesson: The lesson.
        entries: The whole journal.
    """
    predicted: Entry | None = None
    ran: Entry | None = None
    answered: Entry | None = None
    was_run = False
    exercises = {exercise.name: ExerciseProgress() for exercise in lesson.exercises}
    receipt = ""
    for entry in entries:
        deed = entry.deed
        if getattr(deed, "lesson", "") != lesson.name:
            continue
        is_current = getattr(deed, "lesson_digest", lesson.digest) == lesson.digest
        match deed:
            case Predicted() if is_current and not was_run and predicted is None:
                predicted = entry
            case Ran() if is_current:
                was_run = True
                ran = entry if predicted is not None else None
            case CheckpointAnswered() if is_current:
                answered = entry
            case WasReset(exercise=""):
                predicted, ran, answered, was_run, receipt = None, None, None, False, ""
                exercises = {name: ExerciseProgress() for name in exercises}
            case WasReset(exercise=name):
                exercises[name] = ExerciseProgress()
            case Checked() | Hinted() | GaveUp() if deed.exercise in exercises:
                exercises[deed.exercise] = _after(exercises[deed.exercise], deed)
            case Received():
                receipt = deed.receipt_digest
            case _:
                pass
    part = _part(predicted, ran, answered, exercises, receipt, has_questions=bool(lesson.checkpoints))
    return LessonProgress(
        part=part, predicted=predicted, ran=ran, answered=answered, exercises=exercises, receipt_digest=receipt
    )


def _after(before: ExerciseProgress, deed: Checked | Hinted | GaveUp) -> ExerciseProgress:
    if isinstance(deed, Hinted):
        return msgspec.structs.replace(before, hints=max(before.hints, deed.hint))
    if isinstance(deed, GaveUp):
        return msgspec.structs.replace(before, gave_up=before.gave_up or not before.passed)
    passed = deed.verdict == PASSED
    return msgspec.structs.replace(
        before,
        attempts=before.attempts + (0 if before.passed else 1),
        passed=before.passed or passed,
        source_digest=deed.source_digest if passed else before.source_digest,
    )


def _part(
    predicted: Entry | None,
    ran: Entry | None,
    answered: Entry | None,
    exercises: dict[str, ExerciseProgress],
    receipt: str,
    *,
    has_questions: bool,
) -> Part:
    if predicted is None:
        return "predict"
    if ran is None:
        return "run"
    if not all(one.passed for one in exercises.values()):
        return "repair"
    if answered is None and has_questions:
        return "checkpoint"
    return "done" if receipt else "evidence"


def next_exercise(lesson: Lesson, progress: LessonProgress) -> Exercise | None:
    """The first exercise that has not passed."""
    return next((one for one in lesson.exercises if not progress.exercises[one.name].passed), None)


def next_lesson(lessons: Sequence[Lesson], entries: Sequence[Entry]) -> Lesson | None:
    """The first lesson that is not done."""
    return next((one for one in lessons if lesson_progress(one, entries).part != "done"), None)
