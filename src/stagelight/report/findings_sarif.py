"""Findings as SARIF 2.1.0, which code-scanning services read."""

from collections.abc import Mapping

import msgspec

from stagelight.model.finding import Finding, PathStep
from stagelight.model.inspection import Fingerprinted, Inspection

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def findings_sarif(inspection: Inspection, *, version: str, rule_titles: Mapping[str, str]) -> str:
    """Return a SARIF log with one run.

    Args:
        inspection: what was found.
        version: the version of the tool.
        rule_titles: one line for each slug that may occur.
    """
    slugs = sorted({item.finding.slug for item in inspection.findings})
    driver = {
        "name": "stagelight",
        "version": version,
        "rules": [{"id": slug, "shortDescription": {"text": rule_titles.get(slug, slug)}} for slug in slugs],
    }
    notifications = [
        {"level": "error", "message": {"text": f"{problem.file} {problem.message}"}} for problem in inspection.problems
    ]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(item) for item in inspection.findings],
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notifications}],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode()


def _result(item: Fingerprinted) -> dict[str, object]:
    finding = item.finding
    result: dict[str, object] = {
        "ruleId": finding.slug,
        "level": "warning",
        "message": {"text": f"{finding.message}. {finding.hint}" if finding.hint else finding.message},
        "locations": [_location(finding)],
        "partialFingerprints": {"stagelight/v1": item.fingerprint},
    }
    if finding.path:
        steps = [{"location": _step(step)} for step in finding.path]
        result["codeFlows"] = [{"threadFlows": [{"locations": [*steps, {"location": _location(finding)}]}]}]
    return result


def _location(finding: Finding) -> dict[str, object]:
    span = finding.span
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    return {"physicalLocation": {"artifactLocation": {"uri": finding.file}, "region": region}}


def _step(step: PathStep) -> dict[str, object]:
    region = {"startLine": step.line, "startColumn": step.column}
    place = {"artifactLocation": {"uri": step.file}, "region": region}
    return {"physicalLocation": place, "message": {"text": step.text}}
