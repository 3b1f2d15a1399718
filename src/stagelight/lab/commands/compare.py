"""``stagelight learn compare``: this machine's run of a lesson against the recorded one."""

import sys
import tempfile
from pathlib import Path

import click

from stagelight.errors import LabError
from stagelight.lab.asking import Examiner
from stagelight.lab.course import course, lesson_called
from stagelight.lab.executions import differences, execution_of, shipped_execution


@click.command()
@click.argument("lesson", required=False)
def command(lesson: str | None) -> None:
    """Run the reference of LESSON here, and hold it against the execution that was recorded; by default all lessons.

    Outputs, counts, causes and keys are compared; versions and devices are shown. Exit code 1 if anything differs.
    """
    chosen = [lesson_called(lesson)] if lesson else list(course())
    is_other = False
    with Examiner() as examiner, tempfile.TemporaryDirectory(prefix="stagelight-compare-") as folder:
        for one in chosen:
            recorded = shipped_execution(one)
            if recorded is None:
                message = f"there is no recorded execution of lesson {one.name} as it is"
                raise LabError(message)
            here = execution_of(one, examiner, Path(folder))
            found = list(differences(recorded, here))
            then, now = recorded.surroundings, here.surroundings
            click.echo(
                f"{one.number:02d} {one.name}: recorded under JAX {then.jax} on {then.backend}, "
                f"here JAX {now.jax} on {now.backend}: {'differs' if found else 'the same'}"
            )
            for difference in found:
                click.echo(f"  {difference.subject}\n    recorded: {difference.recorded.strip()}")
                click.echo(f"    here:     {difference.here.strip()}")
            is_other = is_other or bool(found)
    sys.exit(1 if is_other else 0)
