"""Check files one by one in this process: what worker processes run."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from stagelight.inspection.discovery import shown_path
from stagelight.inspection.module_lookup import ModuleLookup, root_of
from stagelight.inspection.source_file import SourceFile, digest_of, read_source
from stagelight.lint.mistakes import find_mistakes
from stagelight.lint.program import Program
from stagelight.model.finding import Finding
from stagelight.model.inspection import Problem


class FileResult(msgspec.Struct, frozen=True, kw_only=True):
    """What checking one file gave."""

    file: str
    digest: str = ""
    asked: dict[str, str] = {}
    findings: tuple[Finding, ...] = ()
    problem: Problem | None = None


class FileChecker:
    """Checks files, keeping parsed modules between them: one program per folder that modules are imported from."""

    def __init__(self, assume_traced: tuple[str, ...]) -> None:
        self._assume_traced = assume_traced
        self._programs: dict[tuple[Path, str], tuple[Program, ModuleLookup]] = {}
        self._digests: dict[Path, str] = {}

    def check(self, path: Path) -> FileResult:
        """Return the findings of a file, or the problem that keeps it from being checked."""
        file = shown_path(path)
        try:
            source = read_source(path)
        except OSError as error:
            return _failed(file, f"cannot be read: {error.strerror or error}")
        except (SyntaxError, ValueError) as error:
            return _failed(file, _reason(error))
        return self._check_source(path, file, source)

    def _check_source(self, path: Path, file: str, source: SourceFile) -> FileResult:
        program, lookup = self._program(root_of(path))
        try:
            mistakes = find_mistakes(source.module, program, assume_traced=self._assume_traced)
        except SyntaxError as error:
            return _failed(file, _reason(error), source.digest)
        except RecursionError:
            return _failed(file, "is nested too deeply to be checked", source.digest)
        except Exception as error:
            # One file must not end the run: the fault is reported as Stagelight's own.
            text = f"internal error {type(error).__name__}: {error}. Please report it with this file."
            problem = Problem(file=file, message=text, is_internal=True)
            return FileResult(file=file, problem=problem)
        asked = {name: self.digest_of_module(lookup, name) for name in sorted(mistakes.asked)}
        return FileResult(file=file, digest=source.digest, asked=asked, findings=mistakes.findings)

    def digest_of_module(self, lookup: ModuleLookup, name: str) -> str:
        """Return the digest of a module's file; empty when there is none."""
        path = lookup.path_of(name)
        if path is None:
            return ""
        if path not in self._digests:
            try:
                self._digests[path] = digest_of(path.read_bytes())
            except OSError:
                self._digests[path] = ""
        return self._digests[path]

    def _program(self, root: tuple[Path, str]) -> tuple[Program, ModuleLookup]:
        if root not in self._programs:
            lookup = ModuleLookup(*root)
            self._programs[root] = (Program(lookup), lookup)
        return self._programs[root]


def check_files(paths: Iterable[Path], assume_traced: tuple[str, ...]) -> list[FileResult]:
    """Check files one after another; a worker process calls this with its share."""
    checker = FileChecker(assume_traced)
    return [checker.check(path) for path in paths]


def _failed(file: str, message: str, digest: str = "") -> FileResult:
    return FileResult(file=file, digest=digest, problem=Problem(file=file, message=message))


def _reason(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        line = f"line {error.lineno}: " if error.lineno else ""
        return f"is not Python that this interpreter reads: {line}{error.msg}"
    if isinstance(error, UnicodeDecodeError):
        return f"is not in the encoding that it declares ({error.encoding}); declare it on the first line"
    return f"cannot be read: {error}"
