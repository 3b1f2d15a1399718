"""The little Markdown that lessons are written in, as blocks of a document: paragraphs, lists, code, strong words."""

import re

from stagelight.report.document import Block, Bullets, Cell, Code, Column, Inline, Line, Paragraph, Source, Table, Text

_INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<strong>[^*]+)\*\*|\*(?P<stressed>[^*\s][^*]*)\*|\[(?P<link>[^\]]+)\]\([^)]*\)"
)
_BULLET = re.compile(r"^(?:[-*]|\d+\.) ")


def prose_blocks(text: str) -> tuple[Block, ...]:
    """Markdown as blocks.

    Args:
        text: Paragraphs, lists, tables and indented or fenced code, with blank lines between.

    >>> [type(block).__name__ for block in prose_blocks("One `x`.\\n\\n- a\\n- b")]
    ['Paragraph', 'Bullets']
    """
    return tuple(_block(part) for part in _parts(text))


def _parts(text: str) -> list[list[str]]:
    """Lines of each block; a fenced block is one, blank lines in it included."""
    parts: list[list[str]] = []
    current: list[str] = []
    is_fenced = False
    for line in text.strip().splitlines():
        is_fence = line.startswith("```")
        if is_fence and not is_fenced and current:
            parts.append(current)
            current = []
        if is_fence:
            is_fenced = not is_fenced
        if line.strip() or is_fenced:
            current.append(line)
        if current and not is_fenced and (is_fence or not line.strip()):
            parts.append(current)
            current = []
    return [*parts, current] if current else parts


def _block(lines: list[str]) -> Block:
    if lines[0].startswith("```"):
        return Source(file="", first_line=1, lines=tuple(line for line in lines if not line.startswith("```")))
    if lines[0].startswith("|"):
        return _table(lines)
    if _BULLET.match(lines[0]):
        return Bullets(tuple(prose_line(item) for item in _items(lines)))
    if lines[0].startswith("#"):
        return Paragraph((Text(lines[0].lstrip("# "), "strong"),))
    return Paragraph(prose_line(" ".join(line.strip() for line in lines)))


def _items(lines: list[str]) -> list[str]:
    items: list[str] = []
    for line in lines:
        if _BULLET.match(line):
            items.append(_BULLET.sub("", line))
        else:
            items[-1] += f" {line.strip()}"
    return items


def _table(lines: list[str]) -> Table:
    rows = [[prose_line(cell.strip()) for cell in line.strip().strip("|").split("|")] for line in lines]
    names = ["".join(getattr(one, "text", "") for one in line) for line in rows[0]]
    body = tuple(tuple(Cell(line) for line in row) for row in rows[2:])
    return Table(tuple(Column(name) for name in names), body)


def prose_line(text: str) -> Line:
    """One line of Markdown.

    >>> prose_line("**jaxpr** `f`")
    (Text(text='jaxpr', tone='strong'), Text(text=' ', tone='plain'), Code(text='f', tone='accent'))
    """
    line: list[Inline] = []
    end = 0
    for match in _INLINE.finditer(text):
        if match.start() > end:
            line.append(Text(text[end : match.start()]))
        line.append(_inline(match))
        end = match.end()
    if end < len(text) or not line:
        line.append(Text(text[end:]))
    return tuple(line)


def _inline(match: re.Match[str]) -> Inline:
    if match["code"]:
        return Code(match["code"], "accent")
    if match["strong"]:
        return Text(match["strong"], "strong")
    return Text(match["stressed"] or match["link"])
