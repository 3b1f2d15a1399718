"""The machine interface: one JSON object, misses written while they are read.

Schema history: 1, the first. Keys may be added; none is renamed or removed within a schema.
"""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from stagelight.model.attribution import Advisory, Cause, FailureFound, FunctionTotals, Miss
from stagelight.model.function import Function
from stagelight.report.file_names import relative_name

SCHEMA = 1

_ENCODE = msgspec.json.Encoder().encode


class MachineObject:
    """Writes the object; memory holds no miss.

    Args:
        write: Takes each piece of the text.
    """

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._separator = b""
        self._names: dict[str, str] = {}
        self._folders: tuple[str, ...] = ()
        write(b'{"schema": %d,\n "misses": [' % SCHEMA)

    def begin_ledger(self, folder: str) -> None:
        """File names from here on are shown relative to this folder."""
        self._folders = (folder,)
        self._names = {}

    def miss(self, miss: Miss) -> None:
        """Write one miss."""
        self._write(self._separator + _ENCODE(self._miss(miss)))
        self._separator = b",\n  "

    def end(
        self,
        totals: Sequence[FunctionTotals],
        advisories: Iterable[Advisory],
        failures: Iterable[FailureFound],
    ) -> None:
        """Write the rest of the object.

        The user's own functions stand last: who makes a table by name from the list keeps the user's `add`, not JAX's.
        """
        ordered = sorted(totals, key=lambda t: t.function.own)
        self._write(b'],\n "functions": [' + _joined(self.function(t) for t in ordered))
        self._write(b'],\n "advisories": [' + _joined(self._advisory(a) for a in advisories))
        self._write(b'],\n "failures": [' + _joined(self._failure(f) for f in failures) + b"]}\n")

    def function(self, totals: FunctionTotals) -> dict[str, object]:
        """One row of ``functions``."""
        return {
            **self._function(totals.function),
            "own": totals.function.own,
            "traces": totals.traces,
            "compiles": totals.compiles,
            "calls": totals.calls,
            "dispatch_misses": totals.dispatch_misses,
            "specializations": totals.specializations,
            "avoidable": totals.avoidable,
            "trace_s": totals.trace_s,
            "lower_s": totals.lower_s,
            "compile_s": totals.compile_s,
            "dispatch_s": totals.dispatch_s,
        }

    def _function(self, function: Function) -> dict[str, object]:
        return {"function": function.name, "file": self._file(function.file), "line": function.line}

    def _file(self, file: str) -> str:
        name = self._names.get(file)
        if name is None:
            name = self._names[file] = relative_name(file, self._folders)
        return name

    def _miss(self, miss: Miss) -> dict[str, object]:
        function = miss.function
        row: dict[str, object] = {
            "ledger": miss.ledger,
            "function": function.name,
            "file": self._file(function.file),
            "line": function.line,
            "call_file": self._file(miss.call.file),
            "call_line": miss.call.line,
            "seconds": miss.seconds,
            "avoidable": miss.avoidable,
            "causes": [_cause(cause) for cause in miss.causes],
        }
        if miss.under:
            row["under"] = miss.under
        if miss.persistent is not None:
            row["persistent_cache"] = miss.persistent.outcome
        if miss.process:
            row["process"] = miss.process
        return row

    def _advisory(self, advisory: Advisory) -> dict[str, object]:
        return {
            "slug": advisory.slug,
            "function": advisory.function.name,
            "file": self._file(advisory.site.file or advisory.function.file),
            "line": advisory.site.line or advisory.function.line,
            "path": advisory.path,
            "before": advisory.before,
            "after": advisory.after,
            "detail": advisory.detail,
        }

    def _failure(self, failure: FailureFound) -> dict[str, object]:
        return {
            "slug": failure.slug,
            "error": failure.error,
            "function": failure.function.name,
            "file": self._file(failure.site.file),
            "line": failure.site.line,
            "column": failure.column,
            "expression": failure.expression,
            "arguments": failure.arguments,
            "handled": failure.handled,
            "message": failure.message,
        }


def _cause(cause: Cause) -> dict[str, str]:
    row = {"slug": cause.slug, "path": cause.path, "before": cause.before, "after": cause.after}
    if cause.detail:
        row["detail"] = cause.detail
    return row


def _joined(rows: Iterable[dict[str, object]]) -> bytes:
    return b",\n  ".join(_ENCODE(row) for row in rows)
