"""Findings as a JSON array."""

import msgspec

from stagelight.model.inspection import Fingerprinted, Inspection


def findings_json(inspection: Inspection) -> str:
    """Return an array of findings.

    Each has ``slug``, ``file``, ``line``, ``column``, ``end_line``, ``end_column``, ``message``, ``hint``,
    ``function``, ``expression``, ``arguments``, ``path``, ``is_mendable`` and ``fingerprint``. Keys may be added; none
    is renamed or removed.
    """
    return msgspec.json.format(msgspec.json.encode([_entry(item) for item in inspection.findings]), indent=2).decode()


def _entry(item: Fingerprinted) -> dict[str, object]:
    finding = item.finding
    return {
        "slug": finding.slug,
        "file": finding.file,
        "line": finding.span.line,
        "column": finding.span.column,
        "end_line": finding.span.end_line,
        "end_column": finding.span.end_column,
        "message": finding.message,
        "hint": finding.hint,
        "function": finding.function,
        "expression": finding.expression,
        "arguments": finding.arguments,
        "path": finding.path,
        "is_mendable": bool(finding.edits),
        "fingerprint": item.fingerprint,
    }
