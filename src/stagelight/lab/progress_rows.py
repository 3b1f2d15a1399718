"""The rows of the table of lessons, from a study."""

from stagelight.lab.course import course
from stagelight.lab.progress import LessonProgress, next_lesson
from stagelight.lab.receipts import judged_predictions
from stagelight.lab.study import Study
from stagelight.model.lesson import Lesson
from stagelight.report.progress_document import LessonRow
from stagelight.report.quantities import counted


def progress_rows(study: Study) -> tuple[LessonRow, ...]:
    """One row a lesson."""
    here = next_lesson(course(), study.journal.entries)
    return tuple(_row(lesson, study.progress(lesson), is_here=lesson is here) for lesson in course())


def _row(lesson: Lesson, progress: LessonProgress, *, is_here: bool) -> LessonRow:
    judged = judged_predictions(lesson, progress) if progress.ran is not None else ()
    exercises = progress.exercises.values()
    hints = sum(one.hints for one in exercises)
    gave_up = sum(one.gave_up for one in exercises)
    notes = [counted(hints, "hint")] if hints else []
    notes += [f"gave up {gave_up}"] if gave_up else []
    return LessonRow(
        number=lesson.number,
        name=lesson.name,
        title=lesson.title,
        level=lesson.level,
        minutes=lesson.minutes,
        state="done" if progress.part == "done" else "now" if is_here else "open",
        repairs=(sum(one.passed for one in exercises), len(lesson.exercises)),
        predictions=(sum(one.agrees for one in judged), len(judged)) if judged else None,
        notes=", ".join(notes),
    )
