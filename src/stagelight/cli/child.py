"""Work on the user's module in a child process: a crash, an endless trace or a print there does no harm here."""

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from stagelight.cli.call_notation import arguments_from_call
from stagelight.cli.function_target import imported_function
from stagelight.errors import StagelightError, UsageError
from stagelight.model.explanation import Explanation
from stagelight.model.machine_step import MachineComparison
from stagelight.model.repair import RepairReport

# The child finds this very package, wherever the parent found it; at the end of the path it hides nothing.
_PACKAGES = str(Path(__file__).resolve().parents[2])
_START = "import sys; sys.path.append(sys.argv[1]); from stagelight.cli.child import main; main(*sys.argv[2:4])"


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What the child shall do.

    Attributes:
        task: ``explain``, ``machine`` or ``repair``.
        target: ``FILE:FUNCTION``.
        calls: Calls in JAX's notation; each is worked on.
        static: Names of static arguments.
        own: Further packages that count as the user's own.
    """

    task: str
    target: str
    calls: tuple[str, ...]
    static: tuple[str, ...] = ()
    own: tuple[str, ...] = ()


class Response(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the child found, one record a call; or the message of what went wrong."""

    explanations: tuple[Explanation, ...] = ()
    repairs: tuple[RepairReport, ...] = ()
    comparison: MachineComparison | None = None
    error: str = ""


def respond(request: Request) -> Response:
    """Do the work, in this process."""
    try:
        function, module = imported_function(request.target)
        calls = [arguments_from_call(call, vars(module)) for call in request.calls]
        if request.task == "explain":
            return Response(explanations=tuple(_explained(function, call, request) for call in calls))
        if request.task == "machine":
            return Response(comparison=_compared(function, calls, request))
        return Response(repairs=tuple(_repaired(function, call, request) for call in calls))
    except StagelightError as error:
        return Response(error=str(error))


def _explained(function: object, call: tuple, request: Request) -> Explanation:
    from stagelight.staging.explaining import explain

    return explain(function, static_argnames=request.static, own=request.own)(*call[0], **call[1])


def _compared(function: object, calls: list, request: Request) -> MachineComparison:
    from stagelight.trial.machine_comparison import on_machine
    from stagelight.trial.made_call import call

    given = [call(*args, **kwargs) for args, kwargs in calls]
    return on_machine(function, given, static_argnames=request.static, texts=request.calls)


def _repaired(function: object, call: tuple, request: Request) -> RepairReport:
    from stagelight.repair.repairing import repair_report

    return repair_report(function, call[0], call[1], static=request.static)


def ask(request: Request, *, timeout_s: float) -> Response:
    """Do the work in a child process.

    Raises:
        UsageError: The request cannot be met; the message says why.
        StagelightError: The child took too long, or ended without an answer.
    """
    with tempfile.TemporaryDirectory(prefix="stagelight") as folder:
        asked, answered = Path(folder, "request"), Path(folder, "response")
        asked.write_bytes(msgspec.msgpack.encode(request))
        command = [sys.executable, "-c", _START, _PACKAGES, str(asked), str(answered)]
        try:
            ended = subprocess.run(command, timeout=timeout_s, check=False, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired as error:
            message = (
                f"{request.target} was not done after {timeout_s:g} s: its import or its trace does not end, or needs "
                "longer (--timeout SECONDS)"
            )
            raise StagelightError(message) from error
        if not answered.exists():
            message = f"{request.target} ended the process that imported it, with exit code {ended.returncode}"
            raise StagelightError(message)
        response = msgspec.msgpack.decode(answered.read_bytes(), type=Response)
    if response.error:
        raise UsageError(response.error)
    return response


def main(asked: str, answered: str) -> None:
    """Run as the child: read a request, write a response; what the module prints goes to standard error."""
    request = msgspec.msgpack.decode(Path(asked).read_bytes(), type=Request)
    sys.path.insert(0, os.getcwd())
    with contextlib.redirect_stdout(sys.stderr):
        response = respond(request)
    Path(answered).write_bytes(msgspec.msgpack.encode(response))
