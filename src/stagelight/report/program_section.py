"""Compiled programs that differ, as part of the comparison of two runs: the first lines, and what they come from."""

from collections.abc import Sequence

from stagelight.model.program_difference import ProgramDifference, ProgramLine
from stagelight.report.document import Block, Code, KeyValues, Line, Paragraph, Section, Text
from stagelight.report.quantities import counted

MOST_PROGRAMS = 4


def program_sections(programs: Sequence[ProgramDifference]) -> list[Block]:
    """One section for each program, the first ones only.

    Args:
        programs: Of one function.
    """
    blocks: list[Block] = [_section(one) for one in programs[:MOST_PROGRAMS]]
    if len(programs) > MOST_PROGRAMS:
        more = counted(len(programs) - MOST_PROGRAMS, "further program") + " that differ"
        blocks.append(Paragraph((Text(more, "muted"),)))
    return blocks


def _section(one: ProgramDifference) -> Section:
    title = (Text("program "), Code(one.module), Text(f": {one.origin}"))
    rows = (("what", (_words(one.detail),)), ("before", _lines(one.before)), ("after", _lines(one.after)))
    aside = (Text(counted(one.differing, "line differs", "lines differ"), "muted"),)
    kept = (Text(f"kept as {one.digest_before} and {one.digest_after}", "muted"),)
    return Section(title=title, children=(KeyValues((*rows, ("", (kept,)))),), level=3, aside=aside)


def _words(text: str) -> Line:
    return (Text(text),)


def _lines(lines: Sequence[ProgramLine]) -> tuple[Line, ...]:
    if not lines:
        return ((Text("no line in its place", "muted"),),)
    return tuple(_line(line) for line in lines)


def _line(line: ProgramLine) -> Line:
    origin = ", ".join(text for text in (line.operation, line.place) if text)
    return (Text(f"{line.number}: ", "muted"), Code(line.text), Text(f"  {origin}" if origin else "", "muted"))
