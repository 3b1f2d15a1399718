"""``stagelight learn lint``: whether lessons keep their promises."""

import sys
from pathlib import Path

import click

from stagelight.errors import LabError
from stagelight.lab.asking import Examiner
from stagelight.lab.course import lesson_files
from stagelight.lab.lesson_linting import Complaint, Linted, linted
from stagelight.lab.lesson_reading import lesson_from_file
from stagelight.lab.project_reading import project_files, project_from_file
from stagelight.lab.project_stages import project_complaints
from stagelight.report.quantities import counted


@click.command(
    epilog="""\b
Examples:
  stagelight learn lint
  stagelight learn lint 03-my-lesson.md --verbose
"""
)
@click.argument("lessons", nargs=-1, metavar="LESSON...")
@click.option("-v", "--verbose", is_flag=True, help="Show every key, output and verdict.")
def command(lessons: tuple[str, ...], verbose: bool) -> None:
    """Run everything that a lesson claims: program, keys, starters, solutions, wrong repairs.

    LESSON is a file called NN-NAME.md, or the name of a shipped lesson; a file without a number is a project. Without
    one, all shipped lessons and projects. Exit code 1 if a promise is not kept.
    """
    paths = [_path_of(name) for name in lessons] or [*lesson_files(), *project_files()]
    is_wrong = False
    with Examiner() as examiner:
        examiner.start()
        for path in paths:
            is_project = not path.name[:1].isdigit()
            complaints = _of_project(path, examiner) if is_project else _of_lesson(path, examiner, verbose)
            for complaint in complaints:
                click.echo(f"{path}:{complaint.line}: {complaint.message}")
            click.echo(f"{path.name}: {counted(len(complaints), 'complaint') if complaints else 'good'}")
            is_wrong = is_wrong or bool(complaints)
    sys.exit(1 if is_wrong else 0)


def _of_project(path: Path, examiner: Examiner) -> list[Complaint]:
    return list(project_complaints(project_from_file(path), examiner))


def _of_lesson(path: Path, examiner: Examiner, verbose: bool) -> list[Complaint]:
    lesson = lesson_from_file(path)
    known = {lesson.name, *(lesson_from_file(one).name for one in lesson_files())}
    found = linted(lesson, examiner, known=sorted(known))
    if verbose:
        _tell(found)
    return list(found.complaints)


def _path_of(name: str) -> Path:
    if name.endswith(".md"):
        return Path(name)
    for path in (*lesson_files(), *project_files()):
        number, _, rest = path.stem.partition("-")
        if name in (rest, path.stem) or (number.isdigit() and name.isdigit() and int(number) == int(name)):
            return path
    message = f"no lesson or project is called {name!r}: name its file"
    raise LabError(message)


def _tell(found: Linted) -> None:
    for one in found.program.answers:
        click.echo(f"  key {one.id}: {one.value or one.error}")
    for text in found.program.outputs:
        for line in text.splitlines():
            click.echo(f"  > {line}")
    for function in found.program.functions:
        causes = ", ".join(causes[0].slug for causes in function.causes)
        traces = counted(function.traces, "trace")
        click.echo(f"  {function.name}: {traces} in {counted(function.calls, 'call')}: {causes}")
    for slug, name in found.program.advisories:
        click.echo(f"  advisory {slug}: {name}")
    for exercise, what, verdict in found.verdicts:
        click.echo(f"  {exercise}, {what}: {verdict.kind}")
        for line in verdict.message.splitlines():
            click.echo(f"    {line}")
