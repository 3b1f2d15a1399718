"""Run somebody's program as ``__main__``, the way ``python`` would, and say how it ended."""

import os
import runpy
import sys
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import msgspec

from stagelight.errors import UsageError


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a program ended.

    Attributes:
        exit_code: What the process should exit with.
        error: The exception that ended it, ``SystemExit`` left out.
    """

    exit_code: int
    error: BaseException | None = None


def read_program(path: str) -> CodeType:
    """Compile a program's source.

    Raises:
        UsageError: The file is not there, or is not Python.
    """
    file = Path(path)
    if file.is_dir():
        if not (file / "__main__.py").is_file():
            message = f"{path} is a folder without a __main__.py: name a program in it, as in: stagelight run train.py"
            raise UsageError(message)
        file = file / "__main__.py"
    try:
        source = file.read_bytes()
    except OSError as error:
        message = f"cannot read the program {file}: {error.strerror}"
        if path.startswith("-"):
            message = f"run has no option {path}: see stagelight run --help. Options of the program stand after it"
        raise UsageError(message) from None
    if b"\0" in source[:4096]:
        message = f"{path} is not a Python source file: name the program itself, as in: stagelight run train.py"
        raise UsageError(message)
    try:
        return compile(source, os.path.abspath(file), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        where = f"{path}:{getattr(error, 'lineno', 0)}"
        message = f"{where} is not Python that can run: {getattr(error, 'msg', error)}"
        raise UsageError(message) from None


def run_program(code: CodeType, path: str, arguments: tuple[str, ...]) -> Outcome:
    """Run compiled source as ``__main__``.

    The source is executed here and not by ``runpy``, whose frames would show in JAX's source locations and change the
    keys of the persistent cache.

    Args:
        code: From ``read_program``.
        path: The path as the user gave it.
        arguments: The rest of the command line.
    """
    main = ModuleType("__main__")
    main.__dict__.update(__file__=code.co_filename, __builtins__=__builtins__, __cached__=None, __doc__=None)
    sys.modules["__main__"] = main
    sys.argv = [path, *arguments]
    folder = os.path.abspath(path) if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))
    sys.path[0] = folder
    return _ending_of(lambda: exec(code, main.__dict__))


def run_module(name: str, arguments: tuple[str, ...]) -> Outcome:
    """Run a module as ``python -m`` would.

    Raises:
        UsageError: There is no such module.
    """
    sys.path[0] = os.getcwd()
    sys.argv = [name, *arguments]
    try:
        _, spec, code = runpy._get_module_details(name)  # pyright: ignore  # what `python -m` itself calls
    except ImportError as error:
        message = f"cannot run -m {name}: {error}"
        raise UsageError(message) from None
    main = ModuleType("__main__")
    main.__dict__.update(__file__=spec.origin, __builtins__=__builtins__, __spec__=spec, __package__=spec.parent,
                         __loader__=spec.loader, __cached__=spec.cached)  # fmt: skip
    sys.modules["__main__"] = main
    sys.argv[0] = spec.origin or name
    return _ending_of(lambda: exec(code, main.__dict__))


def _ending_of(program: Any) -> Outcome:
    try:
        program()
    except SystemExit as ended:
        return Outcome(exit_code=_exit_code(ended))
    except KeyboardInterrupt as interrupted:
        return Outcome(exit_code=130, error=interrupted)
    except BaseException as error:
        return Outcome(exit_code=1, error=error)
    return Outcome(exit_code=0)


def _exit_code(ended: SystemExit) -> int:
    if ended.code is None:
        return 0
    if isinstance(ended.code, int):
        return ended.code & 0xFF
    print(ended.code, file=sys.stderr)
    return 1


def show_error(error: BaseException) -> None:
    """Print a program's traceback as Python would, through its own ``sys.excepthook``, without our frames."""
    traceback = error.__traceback__
    while traceback is not None and _is_ours(traceback.tb_frame.f_code.co_filename):
        traceback = traceback.tb_next
    error.__traceback__ = traceback
    sys.excepthook(type(error), error, traceback)


def _is_ours(file: str) -> bool:
    return file.startswith(os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep)
