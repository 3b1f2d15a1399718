"""``stagelight learn reset``: begin anew."""

import click

from stagelight.lab.checking import reset
from stagelight.lab.course import exercise_called, lesson_called
from stagelight.lab.study import study_of
from stagelight.lab.watching import shown_path


@click.command()
@click.argument("lesson")
@click.argument("exercise", required=False)
def command(lesson: str, exercise: str | None) -> None:
    """Lay the starter of EXERCISE again, or begin the whole LESSON anew, predictions included.

    The journal keeps what was before, and says that it was reset.
    """
    study = study_of()
    chosen = lesson_called(lesson)
    wanted = exercise_called(chosen, exercise) if exercise else None
    for path in reset(study, chosen, wanted):
        click.echo(f"laid {shown_path(path)}")
