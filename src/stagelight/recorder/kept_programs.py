"""Compiled programs as files, each under the digest of its text, so that two runs can be held against each other."""

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from stagelight.errors import UsageError
from stagelight.model.ledger import Header

SUFFIX = ".mlir"
_DIGITS = 16


class KeptPrograms:
    """A folder of programs. Files appear whole; the same program is written once, by whichever process is first.

    Args:
        folder: Where they are kept; made if it is not there.
    """

    def __init__(self, folder: str):
        self._folder = Path(folder)

    def keep(self, text: str) -> str:
        """Write a program if it is new; its digest.

        Raises:
            OSError: It cannot be written.
        """
        encoded = text.encode("utf-8", "replace")
        digest = hashlib.sha256(encoded).hexdigest()[:_DIGITS]
        path = self._folder / (digest + SUFFIX)
        if path.exists():
            return digest
        self._folder.mkdir(parents=True, exist_ok=True)
        descriptor, part = tempfile.mkstemp(dir=self._folder, prefix=f".{digest}-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(encoded)
            os.replace(part, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(part)
            raise
        return digest


def folder_of_programs(given: str) -> str:
    """The folder as an absolute path, made here so that a place that cannot be written is told before the run.

    Raises:
        UsageError: It cannot be made or written.
    """
    path = Path(given).absolute()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"--programs {given}: a folder cannot be made there: {error.strerror}"
        raise UsageError(message) from None
    if not os.access(path, os.W_OK | os.X_OK):
        message = f"--programs {given}: the folder cannot be written"
        raise UsageError(message)
    return str(path)


def kept_program(header: Header, ledger: str, digest: str) -> str | None:
    """Text of a kept program: from the folder that the ledger names, or one of that name beside the ledger.

    Args:
        header: Of the ledger.
        ledger: Its path.
        digest: The program's.
    """
    if not header.programs:
        return None
    named = Path(header.programs)
    for folder in (named, Path(ledger).parent / named.name):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            return (folder / (digest + SUFFIX)).read_text("utf-8")
    return None
