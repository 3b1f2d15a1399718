"""``stagelight lock``: write which specializations a program has."""

from pathlib import Path

import click

from stagelight.comparison.lock_acceptance import accepted
from stagelight.control.lock_file import DEFAULT_PATH, read_lock, write_lock
from stagelight.control.verifying import seen_now, verification
from stagelight.errors import UsageError
from stagelight.model.lock import Lock
from stagelight.model.lock_change import LockChange
from stagelight.report.lock_formats import detail_lines, headline
from stagelight.report.quantities import counted


@click.command(
    epilog="""\b
Examples:
  stagelight lock train.py
  stagelight lock "train.py --steps 3" serve.py
  stagelight lock -- "-m pytest tests"
  pytest --stagelight-ledger ledgers && stagelight lock ledgers
  stagelight lock --review
"""
)
@click.argument("programs", nargs=-1, metavar="PROGRAM|LEDGER...")
@click.option("-o", "--output", default=DEFAULT_PATH, show_default=True, type=click.Path(path_type=Path))
@click.option("--review", is_flag=True, help="Ask for each change; keep the lock where the answer is no.")
def command(programs: tuple[str, ...], output: Path, review: bool) -> None:
    """Run PROGRAM and write its specializations to a lock file, to be committed and reviewed.

    The file holds, for each function of your own, its specializations (arguments, static arguments, settings), counts
    of traces, compiles and avoidable causes, and of each specialization equations, unrolled lines and captured
    constants: counts, no times, no line numbers. PROGRAM is a file with its arguments, or "-m module" with its own; a
    LEDGER (or a folder of them) stands for a program that was run already. With no PROGRAM, those that the lock names
    are run again.
    """
    before = read_lock(output) if review or not programs else None
    chosen = programs or (before.programs if before is not None else ())
    if not chosen:
        message = f"{output} names no program (it was written from ledgers): name what to lock"
        raise UsageError(message)
    seen = seen_now(chosen)
    lock = seen.lock
    if review and before is not None:
        changes = {(c.kind, c.function, c.key, c.subject): c for c in verification(before, seen, str(output)).changes}
        lock = _reviewed(before, lock, changes)
    if lock != before:
        write_lock(output, lock)
    count = sum(len(function.specializations) for function in lock.functions)
    said = "is unchanged" if lock == before else "written"
    functions = counted(len(lock.functions), "function")
    click.echo(f"{output} {said}: {functions}, {counted(count, 'specialization')}.", err=True)


def _reviewed(before: Lock, now: Lock, told: dict[object, LockChange]) -> Lock:
    def ask(change: LockChange) -> bool:
        change = told.get((change.kind, change.function, change.key, change.subject), change)
        click.echo(f"\n{change.severity}: {headline(change)}")
        for line in detail_lines(change):
            click.echo(f"    {line}")
        return click.confirm("Accept?", default=False)

    return accepted(before, now, ask)
