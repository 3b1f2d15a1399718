"""``stagelight run``: watch an unmodified program."""

import contextlib
import os
import signal
import sys
import threading
from pathlib import Path

import click

from stagelight.errors import UsageError
from stagelight.recorder.children import follow_children
from stagelight.recorder.kept_programs import folder_of_programs
from stagelight.recorder.ledger_file import LedgerFile, ledgers_from
from stagelight.recorder.program import Outcome, read_program, run_module, run_program, show_error
from stagelight.recorder.session import Options, Session
from stagelight.report.account import Account
from stagelight.report.accounting import account_from_ledgers
from stagelight.report.quantities import counted
from stagelight.report.run_summary import summary_of
from stagelight.report.terminal import write_terminal

INTERRUPTED = 130


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog="""\b
Examples:
  stagelight run train.py --epochs 3          options after the program are its own
  stagelight run -o runs/today.jsonl -m pkg.train
  stagelight run --calls train.py             traces beside calls
  stagelight run --max-traces 1 train.py      a gate: exit 1 if a function of yours is traced twice
  stagelight run --follow-children -o runs/ pool.py
""",
)
@click.option("-o", "--output", metavar="PATH", help="The ledger to write; with --follow-children a folder. "
              "[default: PROGRAM.jsonl]")  # fmt: skip
@click.option("-f", "--force", is_flag=True, help="Replace the ledger if it is there.")
@click.option("-q", "--quiet", is_flag=True, help="No summary at the end.")
@click.option("-m", "module", metavar="MODULE", help="Run a module, as python -m does.")
@click.option("--own", multiple=True, metavar="PKG", help="Count an installed package as your own code. Repeatable.")
@click.option("--calls", is_flag=True, help="Count every call, cached ones too (up to 1 µs a call).")
@click.option("--live", is_flag=True, help="Say each avoidable miss when it happens, on standard error.")
@click.option("--programs", metavar="DIR", help="Keep each compiled program (StableHLO) in DIR, for stagelight diff.")
@click.option("--redact", is_flag=True, help="Keep values out of the ledger; names, shapes and dtypes stay.")
@click.option("--follow-children", "follow", is_flag=True, help="Record the processes that the program starts too.")
@click.option("--fail-on-retrace", is_flag=True, help="Exit 1 if anything avoidable happened in your own functions.")
@click.option("--max-traces", type=click.IntRange(0), metavar="N", help="Exit 1 if a function of yours traced more.")
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
    programs: str | None,
    redact: bool,
    follow: bool,
    fail_on_retrace: bool,
    max_traces: int | None,
    program: str | None,
    arguments: tuple[str, ...],
) -> None:
    """Watch PROGRAM and say what was traced, compiled or dispatched slowly again, and why.

    The program is not changed: its output, its traceback and its exit code are its own, and cached calls run as fast as
    ever. What happened is written to a ledger while it runs; the summary at the end goes to standard error.
    """
    if module is not None and program is not None:
        program, arguments = None, (program, *arguments)
    if (module is None) == (program is None):
        message = "name one program to watch, as in: stagelight run train.py, or: stagelight run -m package.train"
        raise UsageError(message)
    code = read_program(program) if program is not None else None
    options = Options(
        own=own,
        redact=redact,
        calls=calls,
        programs=_programs_folder(programs, redact=redact),
        live=live,
        follow=follow,
        program=(*((program,) if program is not None else ("-m", str(module))), *arguments),
        below=(os.path.dirname(click.__file__) + os.sep, os.path.abspath(sys.argv[0])),
    )
    path = _ledger_path(output, Path(program or str(module)).stem, folder=follow)
    if follow:
        follow_children(path.parent, options)
    session = Session(path, options, force=force).start()
    outcome = run_module(str(module), arguments) if code is None else run_program(code, str(program), arguments)
    _end(session, outcome)
    _report(session, outcome, quiet=quiet, fail_on_retrace=fail_on_retrace, max_traces=max_traces)


def _programs_folder(given: str | None, *, redact: bool) -> str:
    if given is None:
        return ""
    if redact:
        message = "--programs keeps programs whole, captured values included: it cannot go with --redact"
        raise UsageError(message)
    return folder_of_programs(given)


def _ledger_path(output: str | None, stem: str, *, folder: bool) -> Path:
    if not folder:
        return Path(output or f"{stem}.jsonl")
    chosen = Path(output or f"{stem}-ledgers")
    try:
        chosen.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"with --follow-children, -o is a folder; {chosen} cannot be made one: {error.strerror}"
        raise UsageError(message) from None
    return chosen / "main.jsonl"


def _end(session: Session, outcome: Outcome) -> None:
    if outcome.error is not None:
        show_error(outcome.error)
    with contextlib.suppress(KeyboardInterrupt):
        _wait_for_threads()
    session.stop(outcome.error, outcome.exit_code)


def _wait_for_threads() -> None:
    """Python waits for threads that are no daemons before it ends; what they trace belongs to the run.

    Python's own way is taken, now instead of at the exit: it calls the main thread ended first, for which a thread may
    wait itself. At the exit it finds nothing left to do.
    """
    threading._shutdown()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def _report(session: Session, outcome: Outcome, *, quiet: bool, fail_on_retrace: bool, max_traces: int | None) -> None:
    exit_code = outcome.exit_code
    if not session.writer.broken and (not quiet or fail_on_retrace or max_traces is not None):
        account = account_from_ledgers(_written(session))
        if not quiet:
            _flush(sys.stdout)
            write_terminal(summary_of(account), sys.stderr)
        failed = _failed_gates(account, fail_on_retrace=fail_on_retrace, max_traces=max_traces)
        for line in failed:
            click.echo(f"stagelight: {line}", err=True)
        if failed and exit_code == 0:
            exit_code = 1
    if exit_code == INTERRUPTED and isinstance(outcome.error, KeyboardInterrupt):
        _flush(sys.stdout)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)  # the shell sees an interrupted program, as under plain Python
    sys.exit(exit_code)


def _written(session: Session) -> tuple[LedgerFile, ...]:
    return ledgers_from([str(session.path.parent if session.options.follow else session.path)])


def _flush(stream: object) -> None:
    with contextlib.suppress(Exception):  # the program may have closed it
        stream.flush()  # pyright: ignore


def _failed_gates(account: Account, *, fail_on_retrace: bool, max_traces: int | None) -> list[str]:
    own = [f.totals for f in account.functions if f.function.own]
    failed: list[str] = []
    if fail_on_retrace:
        for totals in (t for t in own if t.avoidable):
            misses = counted(totals.avoidable, "avoidable miss", "avoidable misses")
            failed.append(f"{totals.function.name}: {misses} (--fail-on-retrace)")
    if max_traces is not None:
        for totals in (t for t in own if t.traces > max_traces):
            traces = counted(totals.traces, "trace")
            failed.append(f"{totals.function.name}: {traces}, at most {max_traces} are allowed (--max-traces)")
    return failed
