"""``stagelight learn`` without a command: go on where the learner stopped, or say how."""

import click

from stagelight.lab.asking import Examiner
from stagelight.lab.course import course
from stagelight.lab.progress import next_exercise, next_lesson
from stagelight.lab.progress_rows import progress_rows
from stagelight.lab.sitting import ALL_DONE, GO_ON, Sitting
from stagelight.lab.study import Study, study_of
from stagelight.lab.terminal_input import is_terminal, typed_line
from stagelight.lab.watching import shown_path
from stagelight.model.lesson import Lesson
from stagelight.report.progress_document import progress_document
from stagelight.report.terminal import write_terminal


def go_on(lesson: Lesson | None = None, *, study: Study | None = None) -> None:
    """Lead on in a terminal; elsewhere, print where the learner is and the next command.

    Args:
        lesson: The lesson to do first; the first one that is not done if absent.
        study: The learner's place; the one that is found here if absent.

    Raises:
        LabError: There is no workspace.
    """
    study = study or study_of()
    was_gone = tell_restored(study)
    if not is_terminal():
        write_terminal(progress_document(progress_rows(study), str(study.workspace)))
        click.echo(next_step(study, lesson))
        return
    if was_gone:
        typed_line(GO_ON)  # the lesson clears the screen
    with Examiner() as examiner:
        examiner.start()
        Sitting(study, examiner).go_on(lesson)


def tell_restored(study: Study) -> bool:
    """Lay again what is missing, and say what was gone; returns whether anything was.

    Args:
        study: The learner's place.
    """
    gone = study.restore()
    if gone:
        names = ", ".join(shown_path(path) for path in gone)
        verb, pronoun = ("was", "It was") if len(gone) == 1 else ("were", "They were")
        click.echo(f"{names} {verb} gone. {pronoun} laid again as checked last; your progress is kept.\n")
    return bool(gone)


def next_step(study: Study, lesson: Lesson | None = None) -> str:
    """The command that goes on, for those who type commands.

    Args:
        study: The learner's place.
        lesson: The lesson to go on with; the first one that is not done if absent.
    """
    if lesson is None or study.progress(lesson).part == "done":
        lesson = next_lesson(course(), study.journal.entries)
    if lesson is None:
        return ALL_DONE
    progress = study.progress(lesson)
    number = lesson.number
    if progress.part == "predict":
        answers = " ".join(f"{question.id}=ANSWER" for question in lesson.predictions)
        return f"Read it with: stagelight learn show {number}\nThen: stagelight learn predict {number} {answers}"
    exercise = next_exercise(lesson, progress)
    if progress.part == "repair" and exercise is not None:
        file = shown_path(study.exercise_file(lesson, exercise))
        task = f"Repair {file}; its task: stagelight learn show {number}"
        return f"{task}\nThen: stagelight learn check {number} {exercise.name}"
    commands = {
        "run": f"run {number}",
        "checkpoint": f"answer {number} " + " ".join(f"{question.id}=ANSWER" for question in lesson.checkpoints),
        "evidence": f"receipt {number} --explanation TEXT",
    }
    return f"Next: stagelight learn {commands[progress.part]}"
