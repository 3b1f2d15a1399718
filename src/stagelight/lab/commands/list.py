"""``stagelight learn list``: all lessons, and how far each is."""

import click

from stagelight.lab.progress_rows import progress_rows
from stagelight.lab.study import study_of
from stagelight.report.progress_document import progress_document
from stagelight.report.terminal import write_terminal


@click.command()
def command() -> None:
    """List the lessons with level, minutes, predictions that were right, and repairs that passed."""
    study = study_of()
    write_terminal(progress_document(progress_rows(study), str(study.workspace)))
