"""``stagelight learn export``: everything of a learner in one file."""

from pathlib import Path

import click

from stagelight.errors import LabError
from stagelight.lab.luggage import packed
from stagelight.lab.study import study_of
from stagelight.report.quantities import counted


@click.command()
@click.argument("target", metavar="FILE.zip", type=click.Path(path_type=Path, dir_okay=False))
@click.option("-f", "--force", is_flag=True, help="Replace FILE.zip if it is there.")
def command(target: Path, force: bool) -> None:
    """Pack journal, sources and receipts in FILE.zip, for another machine."""
    if target.exists() and not force:
        message = f"{target} exists. Replace it with --force, or name another file."
        raise LabError(message)
    click.echo(f"{target}: the journal and {counted(packed(study_of(), target), 'receipt')}")
