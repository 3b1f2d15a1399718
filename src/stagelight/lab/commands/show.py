"""``stagelight learn show``: read a lesson or a project."""

import click

from stagelight.lab.course import course
from stagelight.lab.pointing import pointed_lesson
from stagelight.lab.project_reading import projects
from stagelight.lab.study import study_of
from stagelight.report.lesson_document import (
    exercise_document,
    prediction_document,
    problem_document,
    program_document,
)
from stagelight.report.project_document import project_document
from stagelight.report.terminal import write_terminal


@click.command()
@click.argument("name", required=False, metavar="[LESSON|PROJECT]")
def command(name: str | None) -> None:
    """Read LESSON: problem, idea, program, questions and exercises. Without it, the next one.

    Keys, outputs and solutions are not shown. Of a PROJECT: its problem, and the task of each stage.
    """
    project = next((one for one in projects() if one.name == name), None)
    if project is not None:
        write_terminal(project_document(project))
        return
    study = study_of()
    chosen = pointed_lesson(study, name)
    documents = [problem_document(chosen, len(course())), program_document(chosen), prediction_document(chosen)]
    documents += [
        exercise_document(exercise, study.exercise_file(chosen, exercise).name, number, len(chosen.exercises))
        for number, exercise in enumerate(chosen.exercises, start=1)
    ]
    for document in documents:
        write_terminal(document)
        click.echo()
