"""Results of earlier runs: a file's findings hold as long as it, and every module that was asked for, is unchanged."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from stagelight import __version__, lint
from stagelight.model.finding import Finding
from stagelight.model.inspection import Problem

FOLDER = ".stagelight_cache"
_SCHEMA = 1


class CachedResult(msgspec.Struct, frozen=True, array_like=True):
    """What was found in one file, and the digests of the modules that were asked for (empty where there was none)."""

    digest: str
    asked: dict[str, str]
    findings: tuple[Finding, ...] = ()
    problem: Problem | None = None


class _Content(msgspec.Struct, frozen=True, array_like=True):
    key: str
    results: dict[str, CachedResult]


class ResultCache:
    """One file per project; written whole, read whole; a damaged or foreign file counts as empty."""

    def __init__(self, folder: Path, settings: str) -> None:
        self.path = folder / "check.msgpack"
        self._key = f"{_SCHEMA} {__version__} {_rules_digest()} {settings}"
        self._results = self._read()

    def _read(self) -> dict[str, CachedResult]:
        try:
            content = msgspec.msgpack.decode(self.path.read_bytes(), type=_Content)
        except (OSError, msgspec.DecodeError):
            return {}
        return dict(content.results) if content.key == self._key else {}

    def get(self, file: str, digest: str, digest_of_module: Callable[[str], str]) -> CachedResult | None:
        """Return the result of a file when it still holds."""
        result = self._results.get(file)
        if result is None or result.digest != digest:
            return None
        unchanged = all(digest_of_module(name) == known for name, known in result.asked.items())
        return result if unchanged else None

    def put(self, file: str, result: CachedResult) -> None:
        """Remember the result of a file."""
        self._results[file] = result

    def write(self) -> None:
        """Write everything; a folder that cannot be written to only costs the next run its speed."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            (self.path.parent / ".gitignore").write_text("*\n")
            handle, name = tempfile.mkstemp(dir=self.path.parent)
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.msgpack.encode(_Content(self._key, self._results)))
            Path(name).replace(self.path)
        except OSError:
            return


def _rules_digest() -> str:
    """Return a name for the analysis itself, so that a changed rule forgets what it said before."""
    folder = Path(lint.__file__).parent
    stamps = [f"{p.name}{p.stat().st_mtime_ns}{p.stat().st_size}" for p in sorted(folder.rglob("*.py"))]
    return hashlib.blake2b("\0".join(stamps).encode(), digest_size=8).hexdigest()
