"""``stagelight learn lint``: whether lessons keep their promises."""

import sys
from pathlib import Path

import click

from stagelight.lab.asking import Examiner
from stagelight.lab.course import lesson_called, lessons_folder, stem_of
from stagelight.lab.lesson_linting import Linted, linted
from stagelight.lab.lesson_reading import lesson_from_file
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

    LESSON is a file called NN-NAME.md, or the name of a shipped lesson; without one, all shipped lessons. Exit code 1
    if a promise is not kept.
    """
    paths = [_path_of(name) for name in lessons] or sorted(lessons_folder().glob("[0-9]*.md"))
    known = {lesson_from_file(path).name for path in (*lessons_folder().glob("[0-9]*.md"), *paths)}
    wrong = 0
    with Examiner() as examiner:
        examiner.start()
        for path in paths:
            found = linted(lesson_from_file(path), examiner, known=sorted(known))
            wrong += len(found.complaints)
            for complaint in found.complaints:
                click.echo(f"{path}:{complaint.line}: {complaint.message}")
            said = counted(len(found.complaints), "complaint") if found.complaints else "good"
            click.echo(f"{path.name}: {said}; {counted(len(found.verdicts), 'text')} run")
            if verbose:
                _tell(found)
    sys.exit(1 if wrong else 0)


def _path_of(name: str) -> Path:
    if name.endswith(".md"):
        return Path(name)
    lesson = lesson_called(name)
    return lessons_folder() / f"{stem_of(lesson)}.md"


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
