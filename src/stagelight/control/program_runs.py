"""Run programs under the recorder, each in a process of its own, and give their ledgers."""

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from stagelight.errors import StagelightError, UsageError
from stagelight.recorder.ledger_file import SUFFIX, LedgerFile, ledgers_from


def is_ledger_argument(argument: str) -> bool:
    """Whether an argument names ledgers rather than a program to run."""
    return argument.endswith(SUFFIX) or os.path.isdir(argument)


def ledgers_of(arguments: Sequence[str], folder: Path, *, inside: Path | None = None) -> tuple[LedgerFile, ...]:
    """The ledgers that some arguments name, running the programs among them.

    Args:
        arguments: Ledgers, folders of ledgers, and programs, each as on a command line (``"train.py --steps 3"``,
            ``"-m pytest tests"``).
        folder: Where the ledgers of programs are written.
        inside: Where programs run; this folder by default.

    Raises:
        UsageError: A program is not there.
        StagelightError: A program failed: what it traced until then says nothing.
    """
    paths = []
    for number, argument in enumerate(arguments):
        if is_ledger_argument(argument):
            paths.append(argument)
        else:
            paths.append(str(_run(argument, folder / f"program-{number}{SUFFIX}", inside or Path.cwd())))
    return ledgers_from(paths)


def _words(program: str) -> list[str]:
    try:
        return shlex.split(program)
    except ValueError as error:
        message = f"{program!r} cannot be split into words: {error}"
        raise UsageError(message) from None


def _run(program: str, ledger: Path, inside: Path) -> Path:
    words = _words(program)
    if words[:1] != ["-m"] and not (words and (inside / words[0]).is_file()):
        message = (
            f"{words[0] if words else program!r} is no file in {inside}: name a program, '-m module', a ledger, or a "
            "folder of them"
        )
        raise UsageError(message)
    command = [sys.executable, "-m", "stagelight", "run", "-q", "-f", "-o", str(ledger.absolute()), *words]
    outcome = subprocess.run(command, cwd=inside, capture_output=True, text=True, errors="replace")
    if outcome.returncode:
        told = (outcome.stderr or outcome.stdout).strip().splitlines()[-5:]
        message = "\n".join([f"{program} exited with {outcome.returncode}, so nothing was concluded from it:", *told])
        raise StagelightError(message)
    return ledger
