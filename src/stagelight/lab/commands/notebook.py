"""``stagelight learn notebook``: lessons and projects as notebooks or Python files."""

from pathlib import Path

import click

from stagelight.errors import LabError
from stagelight.lab.course import stem_of
from stagelight.lab.notebook_file import notebook_text, python_text
from stagelight.lab.project_notebook import project_notebook_text, project_python_text
from stagelight.lab.project_reading import shipped_called
from stagelight.lab.study import write_text
from stagelight.model.lesson import Lesson
from stagelight.model.project import Project


@click.command(
    epilog="""\b
Examples:
  stagelight learn notebook 1
  stagelight learn notebook transforms-audit
  stagelight learn notebook -o notebooks
  stagelight learn notebook 1 --python
"""
)
@click.argument("name", required=False, metavar="[LESSON|PROJECT]")
@click.option(
    "-o", "--output", default=".", type=click.Path(path_type=Path, file_okay=False), help="Folder to write to."
)
@click.option("--python", "as_python", is_flag=True, help="Write the program as a Python file that runs.")
@click.option("-f", "--force", is_flag=True, help="Replace files that are there.")
def command(name: str | None, output: Path, as_python: bool, force: bool) -> None:
    """Write LESSON or PROJECT as a Jupyter notebook; without a name, all lessons and projects.

    A notebook has the same order and the same checks as the terminal. A lesson takes predictions before it runs and
    writes to the same journal; a project checks its stages cell by cell and keeps their evidence in a folder.
    """
    for one in shipped_called([name] if name else []):
        stem = stem_of(one) if isinstance(one, Lesson) else one.name
        path = output / f"{stem}{'.py' if as_python else '.ipynb'}"
        if path.exists() and not force:
            message = f"{path} exists. Replace it with --force, or name another folder with -o."
            raise LabError(message)
        write_text(path, _text(one, as_python=as_python))
        click.echo(f"Wrote {path}.")


def _text(one: Lesson | Project, *, as_python: bool) -> str:
    if isinstance(one, Lesson):
        return python_text(one) if as_python else notebook_text(one)
    return project_python_text(one) if as_python else project_notebook_text(one)
