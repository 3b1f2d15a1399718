"""``stagelight learn run``: run a lesson's program under the ledger."""

import sys

import click

from stagelight.lab.asking import Examiner
from stagelight.lab.checking import run_lesson
from stagelight.lab.going_on import next_step
from stagelight.lab.pointing import pointed_lesson
from stagelight.lab.sitting import tell_run
from stagelight.lab.study import study_of


@click.command()
@click.argument("lesson", required=False)
def command(lesson: str | None) -> None:
    """Run the program of LESSON, and hold your predictions against what JAX did.

    Predictions must be in the journal first.
    """
    study = study_of()
    chosen = pointed_lesson(study, lesson)
    with Examiner() as examiner:
        found = run_lesson(study, chosen, examiner)
    tell_run(study, chosen, found)
    if found.ending != "answered" or found.raised is not None:
        sys.exit(1)
    click.echo(next_step(study))
