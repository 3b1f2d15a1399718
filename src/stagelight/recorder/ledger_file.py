"""Ledger files on disk, read as a stream: memory does not grow with the length of a ledger."""

import glob
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from stagelight.model.event import Event
from stagelight.model.ledger import Header, JaxSeen, LedgerError, entries_from_lines, header_from_line

SUFFIX = ".jsonl"

# A line holds one event. The longest real ones hold a model's whole signature and stay below a megabyte; a file without
# line ends must not be read into memory whole.
LONGEST_LINE_BYTES = 64 * 1024 * 1024


class LedgerFile(msgspec.Struct, frozen=True, kw_only=True):
    """One readable ledger.

    Attributes:
        path: Where it is, as it was named on the command line.
        header: Its first line.
    """

    path: str
    header: Header

    def entries(self) -> Iterator[Event | JaxSeen]:
        """Every entry after the header, in the order written; a torn last line is read over.

        Raises:
            LedgerError: A line in the middle is broken, or the file is gone.
        """
        with _opened(self.path) as file:
            _first_line(file, self.path)
            yield from entries_from_lines(_lines(file, self.path), self.path)


def ledgers_from(arguments: Sequence[str]) -> tuple[LedgerFile, ...]:
    """Open the ledgers that some arguments name.

    Args:
        arguments: Files, folders of ledgers (their ``*.jsonl`` files) and glob patterns.

    Returns:
        The ledgers, each file once, folders and patterns in the order of their names.

    Raises:
        LedgerError: Nothing is there, or a file is not a ledger.
    """
    paths: dict[str, None] = {}
    for argument in arguments:
        paths.update(dict.fromkeys(_paths_from(argument)))
    return tuple(LedgerFile(path=path, header=_header(path)) for path in paths)


def _paths_from(argument: str) -> list[str]:
    try:
        path = Path(argument)
        if path.is_dir():
            return _files_of_folder(path)
        if path.exists():
            return [argument]
        found = sorted(glob.glob(argument, recursive=True)) if glob.has_magic(argument) else []
    except (OSError, ValueError) as error:
        message = f"{argument!r} cannot be read: {error}"
        raise LedgerError(message) from None
    files = [name for name in found if Path(name).is_file()]
    if not files:
        message = f"{argument} does not exist. Make a ledger with: stagelight run -o {argument} PROGRAM"
        if glob.has_magic(argument):
            message = f"no file matches {argument}"
        raise LedgerError(message)
    return files


def _files_of_folder(folder: Path) -> list[str]:
    """The ledgers of a folder; an empty file is that of a process killed before its first line, and is left out."""
    files = [str(p) for p in sorted(folder.glob(f"*{SUFFIX}")) if p.is_file() and p.stat().st_size]
    if not files:
        message = f"{folder} holds no ledger (no *{SUFFIX} file that is not empty)"
        raise LedgerError(message)
    return files


def _header(path: str) -> Header:
    with _opened(path) as file:
        return header_from_line(_first_line(file, path), path)


def _opened(path: str) -> io.BufferedReader:
    try:
        if not Path(path).is_file():
            message = f"{path} is not a regular file"
            raise LedgerError(message)
        return open(path, "rb")
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror or error}"
        raise LedgerError(message) from None


def _first_line(file: io.BufferedReader, path: str) -> bytes:
    line = file.readline(LONGEST_LINE_BYTES)
    if not line:
        message = f"{path} is empty: the program was stopped before its ledger began"
        raise LedgerError(message)
    return line


def _lines(file: io.BufferedReader, path: str) -> Iterator[bytes]:
    while line := file.readline(LONGEST_LINE_BYTES):
        if len(line) == LONGEST_LINE_BYTES and not line.endswith(b"\n"):
            message = f"{path} is broken: it holds a line longer than {LONGEST_LINE_BYTES // 1024 // 1024} MiB"
            raise LedgerError(message)
        yield line
