"""Write the edits that need no execution: those that findings carry, from the rules' closed list."""

import io
import tokenize
from collections.abc import Iterable
from pathlib import Path

from stagelight.inspection.source_file import read_source
from stagelight.model.finding import Edit, Finding


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with its edits spliced in; comments and formatting around them stay.

    Edits that overlap an earlier one are left out, to be made by the next run.
    """
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    spliced: list[tuple[int, int, str]] = []
    for edit in sorted(edits, key=lambda e: e.span):
        begin = starts[edit.span.line - 1] + edit.span.column - 1
        end = starts[edit.span.end_line - 1] + edit.span.end_column - 1
        if not spliced or begin >= spliced[-1][1]:
            spliced.append((begin, end, edit.text))
    for begin, end, replacement in reversed(spliced):
        text = text[:begin] + replacement + text[end:]
    return text


def fix_file(path: Path, findings: Iterable[Finding]) -> int:
    """Write the safe edits of a file's findings, and return how many findings were mended.

    Edits of one finding are made together or not at all. The encoding and the line endings of the file stay.
    """
    mended = [finding for finding in findings if finding.edits]
    if not mended or path.suffix == ".ipynb":
        return 0
    content = path.read_bytes()
    source = read_source(path, content)
    chosen = _without_overlaps(mended)
    text = edited(source.module.text, (edit for finding in chosen for edit in finding.edits))
    if b"\r\n" in content:
        text = text.replace("\n", "\r\n")
    mark = b"\xef\xbb\xbf" if content.startswith(b"\xef\xbb\xbf") else b""
    path.write_bytes(mark + text.encode(_encoding(content)))
    return len(chosen)


def _without_overlaps(findings: list[Finding]) -> list[Finding]:
    taken: set[tuple[int, int]] = set()
    chosen: list[Finding] = []
    for finding in findings:
        places = {(edit.span.line, edit.span.column) for edit in finding.edits}
        if not places & taken:
            taken |= places
            chosen.append(finding)
    return chosen


def _encoding(content: bytes) -> str:
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    return "utf-8" if encoding == "utf-8-sig" else encoding
