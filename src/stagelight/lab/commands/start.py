"""``stagelight learn start``: lay the workspace."""

from pathlib import Path

import click

from stagelight.lab.going_on import go_on, next_step, tell_restored
from stagelight.lab.sitting import GO_ON
from stagelight.lab.study import lab_home, started_study
from stagelight.lab.terminal_input import is_terminal, typed_line


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--no-lesson", is_flag=True, help="Lay the workspace and stop.")
def command(folder: Path | None, no_lesson: bool) -> None:
    """Lay the lessons' workspace in FOLDER, ./stagelight-lab by default, and begin the first lesson.

    The workspace holds only what you edit. Predictions, verdicts and receipts are kept in your state folder
    ($STAGELIGHT_LAB_HOME if set): deleting the workspace loses no progress, and start lays it again.
    """
    study = started_study(folder)
    click.echo(f"The workspace is {study.workspace}.")
    if study.is_adopted:
        click.echo(f"It was laid before, and its journal is not in {lab_home()}: lessons begin anew, your files stay.")
    is_told = tell_restored(study) or study.is_adopted
    if no_lesson or not is_terminal():
        click.echo(next_step(study))
        return
    if is_told:
        typed_line(GO_ON)  # the lesson clears the screen
    go_on(study=study)
