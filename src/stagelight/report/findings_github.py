"""Findings as annotations of a GitHub Actions job."""

from collections.abc import Iterator

from stagelight.model.inspection import Inspection


def github_annotations(inspection: Inspection) -> Iterator[str]:
    """Yield one workflow command per finding, as the GitHub Actions documentation describes them."""
    for item in inspection.findings:
        finding = item.finding
        span = finding.span
        place = f"file={_property(finding.file)},line={span.line},col={span.column},endLine={span.end_line}"
        text = _text(f"{finding.message}. {finding.hint}" if finding.hint else finding.message)
        yield f"::error {place},title={_property(f'stagelight {finding.slug}')}::{text}"


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
