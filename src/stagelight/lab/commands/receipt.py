"""``stagelight learn receipt``: the evidence of a finished lesson."""

import click

from stagelight.lab.asking import Examiner
from stagelight.lab.pointing import pointed_lesson
from stagelight.lab.receipts import write_receipt
from stagelight.lab.study import study_of
from stagelight.lab.watching import shown_path


@click.command()
@click.argument("lesson")
@click.option("--explanation", default="", metavar="TEXT", help="In your own words: what decided what was seen?")
def command(lesson: str, explanation: str) -> None:
    """Run everything of LESSON once more and write its receipt.

    The receipt binds your predictions, programs, what they printed and what the ledger said, versions and devices, one
    hash for each field and one over all. `stagelight learn verify` runs it again anywhere.
    """
    study = study_of()
    with Examiner() as examiner:
        path = write_receipt(study, pointed_lesson(study, lesson), examiner, explanation)
    click.echo(shown_path(path))
