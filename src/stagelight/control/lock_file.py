"""The lock file on disk: read whole, written whole, by one process at a time."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from stagelight.comparison.lock_toml import HEADING, lock_from_toml, toml_from_lock
from stagelight.errors import LockError
from stagelight.model.lock import Lock

DEFAULT_PATH = "stagelight.lock"


def is_lock_file(path: Path) -> bool:
    """Whether a path is that of a lock, by its name or its first line."""
    if path.suffix == ".lock":
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(HEADING)) == HEADING.encode()
    except OSError:
        return False


def read_lock(path: Path) -> Lock:
    """Read a lock file.

    Raises:
        LockError: It is not there, cannot be read, or is no lock.
    """
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        message = f"there is no {path}. Write it with: stagelight lock PROGRAM"
        raise LockError(message) from None
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {getattr(error, 'strerror', None) or error}"
        raise LockError(message) from None
    return lock_from_toml(text, str(path))


def write_lock(path: Path, lock: Lock) -> None:
    """Write a lock file whole or not at all.

    Raises:
        LockError: It cannot be written, or another process writes it now.
    """
    try:
        with (
            _alone_in(path.absolute().parent, path),
            tempfile.NamedTemporaryFile(
                "w", dir=path.parent, prefix=f".{path.name}-", encoding="utf-8", newline="\n", delete=False
            ) as file,
        ):
            part = Path(file.name)
            try:
                file.write(toml_from_lock(lock))
                file.close()
                part.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror or error}"
        raise LockError(message) from None


@contextlib.contextmanager
def _alone_in(folder: Path, path: Path) -> Iterator[None]:
    """Hold the folder while writing. The hold ends with the process, so that none is left behind by a killed one."""
    try:
        import fcntl
    except ImportError:  # a system without it: the last writer wins, and the file is still whole
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        message = f"another process writes {path} now: nothing was changed. Run this again when it is done"
        raise LockError(message) from None
    try:
        yield
    finally:
        os.close(descriptor)
