"""Findings as one line each: ``file:line:column: [slug] message``."""

from collections.abc import Iterator

from stagelight.model.inspection import Inspection


def concise_lines(inspection: Inspection) -> Iterator[str]:
    """Yield one line per finding, as editors and other tools read them."""
    for item in inspection.findings:
        finding = item.finding
        yield f"{finding.file}:{finding.span.line}:{finding.span.column}: [{finding.slug}] {finding.message}"
