"""The lab's side of the examiner: one process for many programs, started when first needed."""

import contextlib
import os
import subprocess
import sys
from types import TracebackType
from typing import IO

import msgspec

from stagelight.errors import LabError
from stagelight.lab.examiner import PACKAGES, write_message
from stagelight.model.examination import Examination, Request

_SERVE = "import sys; sys.path.append(sys.argv[1]); from stagelight.lab.examiner import serve; serve()"

# How long a process may take to end by itself before it is told to.
_PATIENCE_S = 2.0


class Examiner:
    """Runs programs in children of one process that has loaded JAX.

    Example:
        >>> from stagelight.model.examination import Piece, Request
        >>> request = Request(file="two.py", folder=".", pieces=(Piece(role="file", code="print(2)"),))
        >>> with Examiner() as examiner:
        ...     found = examiner.examine(request)
        >>> found.outputs
        ('2\\n',)
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Examiner":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Begin to load JAX, without waiting for it.

        Raises:
            LabError: This is no system where a program and all that it starts can be stopped.
        """
        if os.name != "posix":
            message = "the lab runs programs on Linux and macOS; on Windows, use it in WSL"
            raise LabError(message)
        if self._process is None:
            environment = {"TF_CPP_MIN_LOG_LEVEL": "3", **os.environ}
            environment.pop("COLUMNS", None)  # what a program prints is compared with what was recorded
            self._process = subprocess.Popen(
                [sys.executable, "-c", _SERVE, PACKAGES],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )

    def examine(self, request: Request) -> Examination:
        """Run one program and wait for what was seen.

        Raises:
            LabError: The examiner itself ended.
        """
        self.start()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            write_message(process.stdin, msgspec.msgpack.encode(request))
            head = process.stdout.read(8)
            return msgspec.msgpack.decode(process.stdout.read(int.from_bytes(head, "big")), type=Examination)
        except (OSError, ValueError):  # it ended, or was closed by another thread
            code = process.wait()
            self._process = None
            message = (
                f"the process that runs lessons ended with exit code {code} before it answered: install JAX beside "
                "Stagelight if it is missing, and see what works here with stagelight doctor"
            )
            raise LabError(message) from None

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        _close(process.stdin)
        for stop in (process.terminate, process.kill):
            try:
                process.wait(_PATIENCE_S)
                break
            except subprocess.TimeoutExpired:
                stop()
        process.wait()
        _close(process.stdout)  # last: another thread may be reading


def _close(stream: IO[bytes] | None) -> None:
    with contextlib.suppress(OSError):
        if stream is not None:
            stream.close()
