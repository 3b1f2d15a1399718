"""``stagelight verify``: fail when a program has specializations that its lock does not."""

import sys
from pathlib import Path

import click

from stagelight.control.lock_file import DEFAULT_PATH, read_lock
from stagelight.control.verifying import checked_out, seen_now, verification
from stagelight.errors import UsageError
from stagelight.model.lock_change import Verification
from stagelight.report.lock_formats import FORMATS


@click.command(
    epilog="""\b
Examples:
  stagelight verify
  stagelight verify --locked --format github
  stagelight verify --against main train.py
  stagelight verify ledgers/
"""
)
@click.argument("programs", nargs=-1, metavar="PROGRAM|LEDGER...")
@click.option("--lock", "lock_path", default=DEFAULT_PATH, show_default=True, type=click.Path(path_type=Path))
@click.option("--locked", is_flag=True, help="Fail too when the lock holds what was not seen: it is stale.")
@click.option("--against", metavar="REF", help="Compare with another commit instead of a lock.")
@click.option("--format", "format_name", type=click.Choice(tuple(FORMATS)), default="text", show_default=True)
def command(programs: tuple[str, ...], lock_path: Path, locked: bool, against: str | None, format_name: str) -> None:
    """Run the programs that the lock names, and say what it does not hold.

    A specialization that was added fails, and so does an avoidable cause that was added, with the argument, before and
    after. A program that grew by more than 15 % of its equations warns, under the JAX that the lock names. PROGRAM and
    LEDGER say what to run or read instead. Exit codes: 0 as locked, 1 something was added, 2 wrong usage.
    """
    done = _against(against, programs) if against else _against_lock(lock_path, programs, strict=locked)
    click.echo(FORMATS[format_name](done), nl=False)
    sys.exit(1 if any(change.severity == "error" for change in done.changes) else 0)


def _against_lock(path: Path, programs: tuple[str, ...], *, strict: bool) -> Verification:
    lock = read_lock(path)
    chosen = programs or lock.programs
    if not chosen:
        message = f"{path} names no program (it was written from ledgers): name the ledgers or programs to verify"
        raise UsageError(message)
    return verification(lock, seen_now(chosen), str(path), is_strict=strict)


def _against(reference: str, programs: tuple[str, ...]) -> Verification:
    if not programs:
        message = "--against runs the same programs twice: name them, as in: stagelight verify --against main train.py"
        raise UsageError(message)
    with checked_out(reference) as folder:
        before = seen_now(programs, inside=folder)
    return verification(before.lock, seen_now(programs), reference)
