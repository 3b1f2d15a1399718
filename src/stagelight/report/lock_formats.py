"""A verification for people, machines, annotations, code scanning and pull requests."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from stagelight.attribution.pages import page_of
from stagelight.model.lock_change import LockChange, Verification
from stagelight.report.quantities import counted

_MOST_PARTS = 6
_PLUMBING = ("calling convention",)


def headline(change: LockChange) -> str:
    """One change in one sentence."""
    match change.kind:
        case "specialization-added":
            return f"{change.function} has another specialization"
        case "specialization-removed":
            return f"{change.function} has a specialization less: {key_text(change)}"
        case "cause-added" | "cause-gone":
            return f"{change.function}: {change.subject} {change.before or 0} times before, {change.after or 0} now"
        case "count-changed":
            return f"{change.function}: {change.before} {change.subject} before, {change.after} now"
    verb = "grew" if change.kind == "program-grew" else "changed"
    return f"{change.function} {verb}: {change.subject} {change.before} before, {change.after} now"


def detail_lines(change: LockChange) -> Iterator[str]:
    """The evidence of one change."""
    if change.kind == "specialization-added":
        if not change.parts:
            yield f"the first one: {key_text(change)}"
        yield from (f"{part.name}: locked {part.before}, now {part.after}" for part in change.parts[:_MOST_PARTS])
        if len(change.parts) > _MOST_PARTS:
            yield f"and {len(change.parts) - _MOST_PARTS} more parts"
    yield from change.evidence
    page = page_of(change.subject) if change.kind == "cause-added" else None
    if page is not None:
        yield page.fix


def key_text(change: LockChange) -> str:
    """The key of a specialization on one line."""
    parts = [part for part in change.key if not part.name.startswith(_PLUMBING)]
    more = f", and {len(parts) - _MOST_PARTS} more" if len(parts) > _MOST_PARTS else ""
    return ", ".join(f"{part.name} {part.text}" for part in parts[:_MOST_PARTS]) + more


def summary(done: Verification) -> str:
    """The verdict in one sentence."""
    counts = Counter(change.severity for change in done.changes)
    seen = f"{counted(done.functions, 'function')}, {counted(done.specializations, 'specialization')}"
    if not done.changes:
        return f"As {done.against} says: {seen}."
    told = ", ".join(counted(counts[s], s) for s in ("error", "warning", "note") if counts[s])
    return f"{told} against {done.against} ({seen})."


def _where(change: LockChange) -> str:
    return f"{os.path.relpath(change.file)}:{change.line}" if change.file else ""


def text(done: Verification) -> str:
    """For a terminal."""
    lines = []
    for change in done.changes:
        place = _where(change)
        lines.append(f"{change.severity}: {headline(change)}{f'  ({place})' if place else ''}")
        lines += [f"    {line}" for line in detail_lines(change)]
    if not done.counts_compared:
        lines.append(
            f"Equations are not compared: the lock names JAX {done.locked_jax or '?'}, this is {done.jax or '?'}."
        )
    lines.append(summary(done))
    if any(change.severity == "error" for change in done.changes):
        lines.append("If this is meant, take it into the lock: stagelight lock --review")
    return "\n".join(lines) + "\n"


def machine(done: Verification) -> str:
    """JSON."""
    return msgspec.json.encode(done).decode() + "\n"


def github(done: Verification) -> str:
    """Annotations of a GitHub workflow, on the line that defines the function."""
    levels = {"error": "error", "warning": "warning", "note": "notice"}
    lines = []
    for change in done.changes:
        body = "\n".join([headline(change), *detail_lines(change)])
        place = f"file={_escaped(os.path.relpath(change.file))},line={change.line}," if change.file else ""
        lines.append(f"::{levels[change.severity]} {place}title=stagelight verify::{_escaped(body)}")
    return "".join(f"{line}\n" for line in lines)


def _escaped(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def markdown(done: Verification) -> str:
    """A comment on a pull request."""
    lines = ["### Specializations", "", summary(done)]
    for change in done.changes:
        lines += ["", f"- **{change.severity}** {_inline(headline(change))}"]
        lines += [f"  - {_inline(line)}" for line in detail_lines(change)]
    return "\n".join(lines) + "\n"


def _inline(value: str) -> str:
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in value)


def sarif(done: Verification) -> str:
    """SARIF 2.1.0, for code scanning."""
    rules = sorted({change.kind for change in done.changes})
    run = {
        "tool": {"driver": {"name": "stagelight verify", "rules": [{"id": rule} for rule in rules]}},
        "results": [_sarif_result(change) for change in done.changes],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _sarif_result(change: LockChange) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": change.kind,
        "level": change.severity,
        "message": {"text": "\n".join([headline(change), *detail_lines(change)])},
    }
    if change.file:
        uri = os.path.relpath(change.file).replace(os.sep, "/")
        region = {"startLine": max(1, change.line)}
        result["locations"] = [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}]
    return result


FORMATS: dict[str, Callable[[Verification], str]] = {
    "text": text,
    "json": machine,
    "github": github,
    "sarif": sarif,
    "markdown": markdown,
}
