"""``stagelight learn check``: check a repair."""

import sys

import click

from stagelight.lab.asking import Examiner
from stagelight.lab.checking import check_exercise
from stagelight.lab.going_on import next_step
from stagelight.lab.pointing import pointed_exercise, pointed_lesson
from stagelight.lab.study import study_of
from stagelight.lab.verdicts import PASSED
from stagelight.lab.watching import shown_path
from stagelight.report.terminal import write_terminal
from stagelight.report.verdict_document import verdict_document


@click.command(
    epilog="""\b
Examples:
  stagelight learn check
  stagelight learn check 1 report-each-call
"""
)
@click.argument("lesson", required=False)
@click.argument("exercise", required=False)
def command(lesson: str | None, exercise: str | None) -> None:
    """Check the file of EXERCISE (its name or level) under the ledger; by default the next one.

    Exit code 1 if it does not pass.
    """
    study = study_of()
    chosen = pointed_lesson(study, lesson)
    wanted = pointed_exercise(study, chosen, exercise)
    with Examiner() as examiner:
        verdict = check_exercise(study, chosen, wanted, examiner)
    write_terminal(verdict_document(verdict, f"{chosen.number} {wanted.name}"))
    if verdict.kind != PASSED:
        hint = f"stagelight learn hint {chosen.number} {wanted.name}"
        click.echo(f"\nMend {shown_path(study.exercise_file(chosen, wanted))} and check again. For a hint: {hint}")
        sys.exit(1)
    click.echo(next_step(study))
