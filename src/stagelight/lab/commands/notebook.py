"""``stagelight learn notebook``: lessons as notebooks or Python files."""

from pathlib import Path

import click

from stagelight.errors import LabError
from stagelight.lab.course import course, lesson_called, stem_of
from stagelight.lab.notebook_file import notebook_name, notebook_text, python_text
from stagelight.lab.study import write_text


@click.command(
    epilog="""\b
Examples:
  stagelight learn notebook 1
  stagelight learn notebook -o notebooks
  stagelight learn notebook 1 --python
"""
)
@click.argument("lesson", required=False)
@click.option(
    "-o", "--output", default=".", type=click.Path(path_type=Path, file_okay=False), help="Folder to write to."
)
@click.option("--python", "as_python", is_flag=True, help="Write the program as a Python file that runs.")
@click.option("-f", "--force", is_flag=True, help="Replace files that are there.")
def command(lesson: str | None, output: Path, as_python: bool, force: bool) -> None:
    """Write LESSON, or all lessons, as Jupyter notebooks.

    A notebook has the same order as the terminal: it takes predictions before it runs, checks repairs under the
    ledger, and writes to the same journal.
    """
    for one in [lesson_called(lesson)] if lesson else course():
        path = output / (f"{stem_of(one)}.py" if as_python else notebook_name(one))
        if path.exists() and not force:
            message = f"{path} exists. Replace it with --force, or name another folder with -o."
            raise LabError(message)
        write_text(path, python_text(one) if as_python else notebook_text(one))
        click.echo(f"Wrote {path}.")
