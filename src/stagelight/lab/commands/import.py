"""``stagelight learn import``: go on with what another machine exported."""

import os
from pathlib import Path

import click

from stagelight.lab.luggage import unpacked
from stagelight.lab.study import DEFAULT_FOLDER, Study
from stagelight.report.quantities import counted


@click.command()
@click.argument("source", metavar="FILE.zip", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("folder", required=False, type=click.Path(path_type=Path))
def command(source: Path, folder: Path | None) -> None:
    """Lay what FILE.zip holds in FOLDER, ./stagelight-lab by default.

    The chain of the journal and the hashes of every receipt are held against what they say first.
    """
    workspace = Path(os.path.abspath(folder or DEFAULT_FOLDER))
    count = unpacked(source, Study(workspace))
    click.echo(f"{workspace}: the journal and {counted(count, 'receipt')}. Go on with: stagelight learn")
