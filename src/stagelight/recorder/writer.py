"""Append entries to a ledger file, each as it happens; never let a full disk reach the program."""

import contextlib
import os
import sys
from pathlib import Path

import msgspec

from stagelight.errors import UsageError
from stagelight.model.ledger import ENCODER, Header

_BEGINNING = b'{"schema":'
_MOST_HELD = 64
_HIGH_DESCRIPTOR = 500


class LedgerWriter:
    """One process writes one file. A write that fails is said once, on standard error; recording goes on unwritten.

    Args:
        path: Where to write.
        header: The first line.
        force: Whether a file that is there may be replaced.
        lazy: Make the file at the first entry after the header: most processes that a program starts use no JAX.
        durable: Write each entry at once, so that a process that is killed leaves it. Else entries are held until
            ``flush``, or until there are 64: enough for a file that goes with its process, and cheaper, since they
            are encoded one after the other.

    Attributes:
        broken: Why nothing is written any more, or empty.
        problems: What could not be written, of what could.

    Raises:
        UsageError: The file is there, or cannot be made.
    """

    def __init__(self, path: str | os.PathLike[str], header: Header, *, force: bool = False, lazy: bool = False,
                 durable: bool = True):  # fmt: skip
        self.path = Path(path)
        self.broken = ""
        self._descriptor = -1
        self._force = force
        self._waiting: list[msgspec.Struct] = [header]
        self.problems: list[str] = []
        self._durable = durable
        self._closed = False
        self._held: list[msgspec.Struct] = []
        if not lazy:
            self._open()

    def _open(self) -> None:
        if self._force and not is_replaceable(self.path):
            message = f"{self.path} is there and is no ledger: -f replaces ledgers only. Choose another file with -o"
            raise UsageError(message)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | (os.O_TRUNC if self._force else os.O_EXCL)
        try:
            self._descriptor = out_of_the_way(os.open(self.path, flags, 0o644))
        except FileExistsError:
            message = f"{self.path} exists: choose another file with -o, or replace it with -f"
            raise UsageError(message) from None
        except OSError as error:
            message = f"cannot write a ledger to {self.path}: {error.strerror}. Choose another place with -o"
            raise UsageError(message) from None
        waiting, self._waiting = self._waiting, []
        for entry in waiting:
            self.write(entry)

    def write_when_made(self, entry: msgspec.Struct) -> None:
        """Append an entry that is not worth making the file for."""
        if self._descriptor < 0 and not self._closed:
            self._waiting.append(entry)
        else:
            self.write(entry)

    def write(self, entry: msgspec.Struct) -> None:
        """Append one entry; after the end, as from a thread that still traces, it is nobody's any more."""
        if self.broken or self._closed:
            return
        if self._descriptor < 0:
            try:
                self._open()
            except UsageError as error:
                self._give_up(str(error))
                return
        if self._durable:
            self._append(ENCODER.encode(entry) + b"\n")
            return
        self._held.append(entry)
        if len(self._held) >= _MOST_HELD:
            self.flush()

    def flush(self) -> None:
        """Bring what is held into the file."""
        held, self._held = self._held, []
        if held and not self.broken and not self._closed:
            self._append(self._encoded(held))

    def _encoded(self, entries: list[msgspec.Struct]) -> bytes:
        try:
            return ENCODER.encode_lines(entries)
        except Exception:  # one of them cannot be encoded: leave that one out
            lines: list[bytes] = []
            for entry in entries:
                try:
                    lines.append(ENCODER.encode(entry) + b"\n")
                except Exception as error:
                    self.problems.append(f"a {type(entry).__name__} was not written: {type(error).__name__}")
            return b"".join(lines)

    def _append(self, line: bytes) -> None:
        try:
            written = os.write(self._descriptor, line)
            while written < len(line):
                line = line[written:]
                written = os.write(self._descriptor, line)
        except OSError as error:
            self._give_up(error.strerror or str(error))

    def close(self) -> None:
        """Close the file, once; say so if it is no longer where it was made."""
        if self._closed or self._descriptor < 0:
            self._closed = True
            return
        self.flush()
        self._closed = True
        if not self.broken and self._is_gone():
            self._give_up("the file was deleted while the program ran")
        descriptor, self._descriptor = self._descriptor, -1
        with contextlib.suppress(OSError):
            os.close(descriptor)

    def _is_gone(self) -> bool:
        try:
            there, here = os.stat(self.path), os.fstat(self._descriptor)
        except OSError:
            return True
        return (there.st_ino, there.st_dev) != (here.st_ino, here.st_dev)

    def _give_up(self, reason: str) -> None:
        self.broken = reason
        with contextlib.suppress(Exception):
            print(f"stagelight: the ledger {self.path} is incomplete: {reason}. The program goes on.", file=sys.stderr)


def out_of_the_way(descriptor: int) -> int:
    """The same file under a high number.

    A program that closes all files, as daemons do, and opens others gets the lowest numbers for them: ours must not be
    among those, or its file would be written to.
    """
    try:
        import fcntl

        high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH_DESCRIPTOR)
    except (ImportError, OSError, ValueError):  # no such call here, or no such number allowed
        return descriptor
    os.close(descriptor)
    return high


def is_replaceable(path: Path) -> bool:
    """Whether a ledger may be written in the place of what is there: nothing, an empty file, a device, or a ledger."""
    try:
        if not path.is_file() or path.stat().st_size == 0:
            return True
        with path.open("rb") as file:
            return file.read(len(_BEGINNING)) == _BEGINNING
    except OSError:
        return True  # opening it tells what is wrong
