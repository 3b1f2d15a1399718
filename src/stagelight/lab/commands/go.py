"""``stagelight learn go``: go on with a certain lesson."""

import click

from stagelight.lab.course import lesson_called
from stagelight.lab.going_on import go_on


@click.command()
@click.argument("lesson")
def command(lesson: str) -> None:
    """Go on with LESSON (number or name), whatever comes before it."""
    go_on(lesson_called(lesson))
