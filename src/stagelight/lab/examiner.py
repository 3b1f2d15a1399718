"""The process that stands between the lab and a learner's program: loads JAX once, then a fresh child for each request.

Where the system can fork, a child begins with JAX imported and nothing computed, which saves a second each time. It is
stopped when it takes too long or prints too much, with everything that it started.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from stagelight.model.examination import Ending, Examination, Request

CAN_FORK = sys.platform == "linux"
SHOWN_OUTPUT_BYTES = 20_000

_ONE = "import sys; sys.path.append(sys.argv[1]); from stagelight.lab.examiner import answer; answer(*sys.argv[2:4])"
PACKAGES = str(Path(__file__).resolve().parents[2])


class Child(msgspec.Struct, frozen=True):
    """A started child: its process number, and the reading end of its output."""

    process: int
    output: int


def serve(forking: bool = CAN_FORK) -> None:
    """Answer requests from standard input until it ends."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, _leave)
    try:
        _load()
    except ImportError as error:
        sys.exit(f"stagelight: JAX cannot be imported here: {error}")
    start = _forked if forking else _spawned
    for encoded in messages(requests):
        found = examined(encoded, start)
        write_message(answers, msgspec.msgpack.encode(found))


def _leave(number: int, frame: object) -> None:
    """Asked to end: a child that still runs is stopped on the way out."""
    sys.exit(128 + number)


def _load() -> None:
    """Import what every child needs. JAX starts no thread and no backend until it computes."""
    import jax  # noqa: F401

    import stagelight.lab.examining
    import stagelight.staging.explaining
    import stagelight.trial.experiment_table  # noqa: F401

    warnings.filterwarnings("ignore", message=r"os\.fork\(\) was called", category=RuntimeWarning)


def messages(stream: BinaryIO) -> Iterator[bytes]:
    """Messages with their length before them, until the stream ends."""
    while len(head := stream.read(8)) == 8:
        yield stream.read(int.from_bytes(head, "big"))


def write_message(stream: BinaryIO, message: bytes) -> None:
    """Write a message with its length before it."""
    stream.write(len(message).to_bytes(8, "big") + message)
    stream.flush()


def examined(encoded: bytes, start: Callable[[Path, Path], Child]) -> Examination:
    """Let a child answer one request, within its limits."""
    request = msgspec.msgpack.decode(encoded, type=Request)
    with tempfile.TemporaryDirectory(prefix="stagelight-examiner-") as folder:
        asked, answered = Path(folder, "request"), Path(folder, "answer")
        asked.write_bytes(encoded)
        child = start(asked, answered)
        try:
            output, ending = _heard(child, request)
        except SystemExit:  # told to leave
            _ended(child, patience_s=0.0)
            raise
        exit_code = _ended(child, patience_s=0.5 if ending == "answered" else 0.0)
        text = output[:SHOWN_OUTPUT_BYTES].decode("utf-8", "replace")
        if ending != "answered":
            return Examination(ending=ending, output=text)
        with contextlib.suppress(OSError, msgspec.DecodeError):
            found = msgspec.msgpack.decode(answered.read_bytes(), type=Examination)
            return msgspec.structs.replace(found, output=text)
        return Examination(ending="died", exit_code=exit_code, output=text)


def answer(asked: str, answered: str) -> None:
    """In the child: read the request, run it, write what was seen."""
    _load()
    from stagelight.lab.examining import examine

    request = msgspec.msgpack.decode(Path(asked).read_bytes(), type=Request)
    with contextlib.suppress(OSError):
        os.chdir(request.folder)
    sys.path.insert(0, request.folder)
    found = examine(request)
    sys.stdout.flush()
    # In one step: half an answer must never be read.
    whole = Path(answered + ".part")
    whole.write_bytes(msgspec.msgpack.encode(found))
    whole.replace(answered)


def _forked(asked: Path, answered: Path) -> Child:
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return Child(process, reading)
    code = 1
    try:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for target, source in ((0, nothing), (1, writing), (2, writing)):
            os.dup2(source, target)
        os.closerange(3, 256)
        sys.stdin, sys.stdout = open(0), open(1, "w", encoding="utf-8", errors="replace")  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="replace", buffering=1)  # noqa: SIM115
        answer(str(asked), str(answered))
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    finally:
        os._exit(code)


def _spawned(asked: Path, answered: Path) -> Child:
    reading, writing = os.pipe()
    command = [sys.executable, "-c", _ONE, PACKAGES, str(asked), str(answered)]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=writing, stderr=writing, start_new_session=True
    )
    process.returncode = 0  # reaped by its number below, like a forked one
    os.close(writing)
    return Child(process.pid, reading)


def _heard(child: Child, request: Request) -> tuple[bytes, Ending]:
    """Read a child's output until it ends or oversteps a limit."""
    kept, length = bytearray(), 0
    until = time.monotonic() + request.time_limit_s
    with selectors.DefaultSelector() as selector:
        selector.register(child.output, selectors.EVENT_READ)
        while True:
            ready = selector.select(max(0.0, until - time.monotonic()))
            if not ready:
                return bytes(kept), "time-limit"
            piece = os.read(child.output, 65536)
            if not piece:
                return bytes(kept), "answered"
            length += len(piece)
            kept += piece[: max(0, SHOWN_OUTPUT_BYTES - len(kept))]
            if length > request.output_limit_bytes:
                return bytes(kept), "output-limit"


def _ended(child: Child, *, patience_s: float) -> int:
    """Stop whatever is left of a child and what it started; its exit code.

    Args:
        child: The child.
        patience_s: How long it may take to end by itself: one that closed its output is about to.
    """
    until = time.monotonic() + patience_s
    process, status = os.waitpid(child.process, os.WNOHANG)
    while not process and time.monotonic() < until:
        time.sleep(0.005)
        process, status = os.waitpid(child.process, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.process, signal.SIGKILL)
    os.close(child.output)
    if not process:
        _, status = os.waitpid(child.process, 0)
    return os.waitstatus_to_exitcode(status)
