"""``stagelight learn show``: read a lesson."""

import click

from stagelight.lab.course import course
from stagelight.lab.pointing import pointed_lesson
from stagelight.lab.study import study_of
from stagelight.report.lesson_document import (
    exercise_document,
    prediction_document,
    problem_document,
    program_document,
)
from stagelight.report.terminal import write_terminal


@click.command()
@click.argument("lesson", required=False)
def command(lesson: str | None) -> None:
    """Read LESSON: problem, idea, program, questions and exercises. Without it, the next one.

    Keys, outputs and solutions are not shown.
    """
    study = study_of()
    chosen = pointed_lesson(study, lesson)
    documents = [problem_document(chosen, len(course())), program_document(chosen), prediction_document(chosen)]
    documents += [
        exercise_document(exercise, study.exercise_file(chosen, exercise).name, number, len(chosen.exercises))
        for number, exercise in enumerate(chosen.exercises, start=1)
    ]
    for document in documents:
        write_terminal(document)
        click.echo()
