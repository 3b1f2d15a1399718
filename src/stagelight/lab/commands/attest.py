"""``stagelight learn attest``: run references unattended, and record what was seen."""

import sys
import tempfile
from pathlib import Path

import click

from stagelight.errors import UsageError
from stagelight.lab.asking import Examiner
from stagelight.lab.course import stem_of
from stagelight.lab.executions import execution_of, execution_of_project, execution_text
from stagelight.lab.project_reading import shipped_called
from stagelight.lab.study import write_text
from stagelight.lab.verdicts import PASSED
from stagelight.model.execution import Execution
from stagelight.model.lesson import Lesson
from stagelight.model.project import Project


@click.command(
    epilog="""\b
Examples:
  stagelight learn attest --all -o attested
  stagelight learn attest 3
"""
)
@click.argument("lessons", nargs=-1, metavar="LESSON...")
@click.option("--all", "everything", is_flag=True, help="Every lesson and project.")
@click.option("-o", "--output", default="attested", show_default=True, type=click.Path(path_type=Path, file_okay=False))
def command(lessons: tuple[str, ...], everything: bool, output: Path) -> None:
    """Run the reference of each LESSON on whatever backend is here, and record it as JSON.

    Each record holds outputs, counts, causes, keys, verdicts, versions, backend and devices. Nothing asks for input,
    and nothing is inferred from time. Exit code 1 if a reference does not pass here.
    """
    if bool(lessons) == everything:
        message = "name lessons, or give --all"
        raise UsageError(message)
    chosen = shipped_called(lessons)
    is_wrong = False
    with Examiner() as examiner:
        for one in chosen:
            name = stem_of(one) if isinstance(one, Lesson) else one.name
            execution = _executed(one, examiner)
            write_text(output / f"{name}.json", execution_text(execution))
            wrong = [reference.name for reference in execution.references if reference.verdict != PASSED]
            wrong += [] if execution.surroundings.jax else ["the program"]
            is_wrong = is_wrong or bool(wrong)
            where = execution.surroundings
            said = f"does not pass: {', '.join(wrong)}" if wrong else "passes"
            click.echo(f"{name}: {said} (JAX {where.jax}, {where.backend}, {', '.join(where.devices)})")
    sys.exit(1 if is_wrong else 0)


def _executed(one: Lesson | Project, examiner: Examiner) -> Execution:
    with tempfile.TemporaryDirectory(prefix="stagelight-attest-") as folder:
        if isinstance(one, Lesson):
            return execution_of(one, examiner, Path(folder))
        return execution_of_project(one, examiner, Path(folder))
