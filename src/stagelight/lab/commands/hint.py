"""``stagelight learn hint``: the next hint."""

import click

from stagelight.lab.checking import next_hint
from stagelight.lab.pointing import pointed_exercise, pointed_lesson
from stagelight.lab.study import study_of


@click.command()
@click.argument("lesson", required=False)
@click.argument("exercise", required=False)
def command(lesson: str | None, exercise: str | None) -> None:
    """Show the next hint of EXERCISE, from the gentlest to the plainest. The receipt counts them."""
    study = study_of()
    chosen = pointed_lesson(study, lesson)
    wanted = pointed_exercise(study, chosen, exercise)
    number, text = next_hint(study, chosen, wanted)
    click.echo(f"Hint {number} of {len(wanted.hints)}: {text}")
