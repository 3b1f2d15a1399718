"""``stagelight learn verify``: whether a receipt is what was sealed, and does again what it says."""

import sys
from pathlib import Path

import click

from stagelight.errors import LabError
from stagelight.lab.asking import Examiner
from stagelight.lab.study import study_of
from stagelight.lab.verification import read_receipt_file, verified
from stagelight.model.journal import Entry


@click.command()
@click.argument("receipts", nargs=-1, required=True, metavar="RECEIPT...", type=click.Path(path_type=Path))
@click.option("--no-run", is_flag=True, help="Hold it against its hashes alone.")
def command(receipts: tuple[Path, ...], no_run: bool) -> None:
    """Verify receipts: every byte, every hash, and everything that they hold run again, offline.

    Says which field was changed. The hashes find accidents and edits; that a whole receipt was not made up, only
    running it again and the journal of its machine can say. Exit code 1 if anything is not as it must be.
    """
    entries = _entries_here()
    is_wrong = False
    with Examiner() as examiner:
        for path in receipts:
            findings = verified(read_receipt_file(path), None if no_run else examiner, entries)
            for finding in findings:
                click.echo(f"{path}: {finding.field}: {finding.message}")
            if not findings:
                click.echo(
                    f"{path}: verified{', not run' if no_run else ', every hash holds and everything ran again'}"
                )
            is_wrong = is_wrong or bool(findings)
    sys.exit(1 if is_wrong else 0)


def _entries_here() -> tuple[Entry, ...]:
    try:
        return study_of().journal.entries
    except LabError:
        return ()
