"""``stagelight run``: watch an unmodified program."""

import os
import sys
from pathlib import Path

import click

from stagelight.errors import UsageError
from stagelight.recorder.program import Outcome, read_program, run_module, run_program, show_error
from stagelight.recorder.session import Options, Session


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option("-o", "--output", metavar="PATH", help="Where to write the ledger (default: PROGRAM.jsonl).")
@click.option("-f", "--force", is_flag=True, help="Replace the ledger if it is there.")
@click.option("-q", "--quiet", is_flag=True, help="No summary at the end.")
@click.option("-m", "module", metavar="MODULE", help="Run a module, as python -m does.")
@click.option("--own", multiple=True, metavar="PKG", help="Count an installed package as your own code. Repeatable.")
@click.option("--calls", is_flag=True, help="Count every call, cached ones too (up to 1 µs a call).")
@click.option("--live", is_flag=True, help="Say each avoidable miss when it happens, on standard error.")
@click.option("--redact", is_flag=True, help="Keep values out of the ledger; names, shapes and dtypes stay.")
@click.argument("program", required=False, type=click.Path())
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(
    output: str | None,
    force: bool,
    quiet: bool,
    module: str | None,
    own: tuple[str, ...],
    calls: bool,
    live: bool,
    redact: bool,
    program: str | None,
    arguments: tuple[str, ...],
) -> None:
    """Watch PROGRAM and say what was traced, compiled or dispatched slowly again, and why."""
    if module is not None and program is not None:
        program, arguments = None, (program, *arguments)
    if (module is None) == (program is None):
        message = "name one program to watch, as in: stagelight run train.py, or: stagelight run -m package.train"
        raise UsageError(message)
    code = read_program(program) if program is not None else None
    path = Path(output or f"{Path(program or str(module)).stem}.jsonl")
    options = Options(own=own, redact=redact, calls=calls, live=live, program=(program or f"-m {module}", *arguments))
    session = Session(path, options, force=force).start()
    outcome = run_module(str(module), arguments) if code is None else run_program(code, str(program), arguments)
    _end(session, outcome, quiet=quiet)


def _end(session: Session, outcome: Outcome, *, quiet: bool) -> None:
    if outcome.error is not None:
        show_error(outcome.error)
    session.stop(outcome.error, outcome.exit_code)
    sys.stdout.flush()
    if not quiet:
        _summary(session)
    sys.exit(outcome.exit_code)


def _summary(session: Session) -> None:
    del session
    os.sep  # noqa: B018
