"""The journal on disk: entries are appended, each bound to the one before; it is never rewritten."""

import datetime
import os
from pathlib import Path

import msgspec

from stagelight.errors import LabError
from stagelight.model.journal import FIRST, Deed, Entry, hash_of


class Journal:
    """A hash-chained file of entries, outside the workspace.

    Args:
        path: The file; it is made at the first entry.

    Raises:
        LabError: It cannot be read, or an entry in it was changed or is missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._entries = list(entries_from(path.read_bytes(), str(path))) if path.exists() else []
            self._drop_torn_line()
        except OSError as error:
            message = f"the journal {path} cannot be read: {error.strerror}"
            raise LabError(message) from None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, in order."""
        return tuple(self._entries)

    def append(self, deed: Deed) -> Entry:
        """Write an entry, so that it is on disk before anything else happens.

        Args:
            deed: What was done.

        Raises:
            LabError: The file cannot be written.
        """
        self.restore()
        sequence = len(self._entries) + 1
        previous = self._entries[-1].hash if self._entries else FIRST
        at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        entry = Entry(
            sequence=sequence, previous=previous, at=at, deed=deed, hash=hash_of(sequence, previous, at, deed)
        )
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(msgspec.json.encode(entry) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            message = f"the journal cannot be written to {self.path}: {error.strerror}"
            raise LabError(message) from None
        self._entries.append(entry)
        return entry

    def restore(self) -> bool:
        """Write the file again if a program took it away; returns whether it had."""
        encoded = b"".join(msgspec.json.encode(entry) + b"\n" for entry in self._entries)
        if not encoded or (self.path.exists() and self.path.stat().st_size >= len(encoded)):
            return False
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(encoded)
        return True

    def _drop_torn_line(self) -> None:
        """A process that was killed may leave half a line; what follows must begin on a new one."""
        if self._entries and self.path.exists() and not self.path.read_bytes().endswith(b"\n"):
            self.path.write_bytes(b"".join(msgspec.json.encode(entry) + b"\n" for entry in self._entries))


def entries_from(encoded: bytes, name: str) -> tuple[Entry, ...]:
    """The entries of a journal, their chain held against their hashes.

    Args:
        encoded: The file's bytes; a torn last line is read over.
        name: What it is called in messages.

    Raises:
        LabError: An entry was changed, or one is missing.
    """
    lines = encoded.split(b"\n")
    whole, torn = lines[:-1], lines[-1]
    entries: list[Entry] = []
    for number, line in enumerate([*whole, *([torn] if torn else [])], start=1):
        try:
            entry = msgspec.json.decode(line, type=Entry)
        except msgspec.DecodeError as error:
            if number > len(whole):
                break
            message = f"{name}:{number} is no entry of a journal: {error}"
            raise LabError(message) from None
        previous = entries[-1].hash if entries else FIRST
        if entry.previous != previous or entry.sequence != number:
            message = f"{name}:{number} does not follow from the entry before it: one was changed or taken away"
            raise LabError(message)
        if entry.hash != hash_of(entry.sequence, entry.previous, entry.at, entry.deed):
            message = f"{name}:{number} was changed: its hash is not that of what it says"
            raise LabError(message)
        entries.append(entry)
    return tuple(entries)
