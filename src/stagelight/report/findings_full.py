"""Findings with their source, the path by which data reached the expression, and what to do."""

from collections.abc import Callable, Iterator, Sequence

from stagelight.model.finding import Finding
from stagelight.model.inspection import Inspection

type LinesOf = Callable[[str], Sequence[str]]
"""From a file as a finding names it to its lines; empty where they cannot be read."""


def full_lines(inspection: Inspection, lines_of: LinesOf) -> Iterator[str]:
    """Yield the lines of the report, a blank one between findings."""
    for item in inspection.findings:
        yield from finding_lines(item.finding, lines_of)
        yield ""
    yield summary(inspection)


def finding_lines(finding: Finding, lines_of: LinesOf) -> Iterator[str]:
    """Yield one finding: where, the source with the expression underlined, the path, the way out."""
    span = finding.span
    yield f"{finding.file}:{span.line}:{span.column}: [{finding.slug}] {finding.message}"
    lines = lines_of(finding.file)
    if span.line <= len(lines):
        line = lines[span.line - 1].rstrip()
        end = span.end_column if span.end_line == span.line else len(line) + 1
        yield f"  {span.line:>5} | {line}"
        yield f"        | {_indent(line, span.column)}{'^' * max(1, end - span.column)}"
    for step in finding.path:
        yield f"    at {step.file}:{step.line}: {step.text}"
    if finding.hint:
        yield f"    do: {finding.hint}"
    if finding.edits:
        yield "    --fix mends this"
    yield f"    read: stagelight rule {finding.slug}"


def _indent(line: str, column: int) -> str:
    # Tabs stay tabs, so that the marker stands below the expression.
    return "".join("\t" if character == "\t" else " " for character in line[: column - 1])


def summary(inspection: Inspection) -> str:
    """Return one line: how many findings in how many files, and what was left out."""
    count = len(inspection.findings)
    files = inspection.file_count
    found = f"{count} finding{'' if count == 1 else 's'}" if count else "No findings"
    left_out = [
        f"{inspection.ignored_count} ignored" if inspection.ignored_count else "",
        f"{inspection.baseline_count} in the baseline" if inspection.baseline_count else "",
        f"{len(inspection.problems)} not checked" if inspection.problems else "",
    ]
    rest = ", ".join(filter(None, left_out))
    return f"{found} in {files} file{'' if files == 1 else 's'}{f' ({rest})' if rest else ''}."
