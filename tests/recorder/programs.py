"""Run small programs under ``stagelight run`` and under plain Python, in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import stagelight
from stagelight.recorder.ledger_file import ledgers_from
from tests.recorder.watching import Watched

SOURCE = Path(stagelight.__file__).parent.parent
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(SOURCE),
    "JAX_PLATFORMS": "cpu",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "PYTHONDONTWRITEBYTECODE": "1",
}


def write(folder: Path, text: str, name: str = "program.py") -> Path:
    """A program in a folder."""
    path = folder / name
    path.write_text(dedent(text))
    return path


def python(program: Path | str, *arguments: str, cwd: Path | None = None, **environment: str):
    """Plain ``python program``."""
    command = [sys.executable, str(program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env={**ENVIRONMENT, **environment})


def stagelight_command(*arguments: str, cwd: Path | None = None, **environment: str):
    """``python -m stagelight …``."""
    command = [sys.executable, "-m", "stagelight", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env={**ENVIRONMENT, **environment})


def run(program: Path, *options: str, arguments: tuple[str, ...] = (), cwd: Path | None = None, **environment: str):
    """``stagelight run`` with the ledger beside the program."""
    ledger = str(program.with_suffix(".jsonl"))
    return stagelight_command("run", "-f", "-o", ledger, *options, str(program), *arguments, cwd=cwd, **environment)


def recorded(program: Path) -> Watched:
    """The ledger of a program that was run."""
    return Watched(ledgers_from([str(program.with_suffix(".jsonl"))])[0].entries())
