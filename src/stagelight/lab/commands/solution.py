"""``stagelight learn solution``: the reference, after passing or giving up."""

import click

from stagelight.lab.checking import solution_of
from stagelight.lab.pointing import pointed_exercise, pointed_lesson
from stagelight.lab.study import study_of


@click.command()
@click.argument("lesson", required=False)
@click.argument("exercise", required=False)
@click.option("--give-up", is_flag=True, help="Show it before it passes; the journal and the receipt say so.")
def command(lesson: str | None, exercise: str | None, give_up: bool) -> None:
    """Print the reference solution of EXERCISE, once it has passed."""
    study = study_of()
    chosen = pointed_lesson(study, lesson)
    click.echo(solution_of(study, chosen, pointed_exercise(study, chosen, exercise), giving_up=give_up), nl=False)
