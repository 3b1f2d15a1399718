"""A document as Markdown, for a pull request, an issue or a job summary."""

import re
from collections.abc import Iterable

from stagelight.report.document import (
    Badge,
    Block,
    Bullets,
    Change,
    Code,
    Command,
    Document,
    Figures,
    Fold,
    Inline,
    Jump,
    KeyValues,
    Line,
    Paragraph,
    Place,
    Section,
    Source,
    Split,
    Table,
    Text,
    Timeline,
)
from stagelight.report.terminal import place_text
from stagelight.report.visible import visible, visible_source_line

_SPECIAL = re.compile(r"([\\`*_\[\]|~]|^[#+-])")
# GitHub makes links of these in running text; a comment in between stops it and is not seen.
_REFERENCE = re.compile(r"(@|#(?=\d)|://|www\.)")


def markdown_text(document: Document) -> str:
    """The document; nothing in its text can act as markup."""
    parts = [f"# {escaped(document.title)}", *(_block(block) for block in document.blocks)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _block(block: Block) -> str:
    match block:
        case Paragraph():
            return _line(block.line)
        case Section():
            aside = f" · {_line(block.aside)}" if block.aside else ""
            heading = f"{'#' * (block.level + 1)} {_line(block.title)}{aside}"
            return "\n\n".join([heading, *(_block(child) for child in block.children)])
        case KeyValues():
            return "\n".join(_key_value(label, lines) for label, lines in block.rows)
        case Bullets():
            return "\n".join(f"- {_line(line)}" for line in block.lines)
        case Table():
            return "\n".join(_table(block))
        case Command():
            return f"{escaped(block.purpose)}\n\n{fenced([block.command], 'sh')}".strip()
        case Source():
            return fenced([visible_source_line(line) for line in block.lines], "python")
        case Figures():
            return "\n".join(f"- **{escaped(f.value)}** {escaped(f.label)}" for f in block.figures)
        case Split():
            return ", ".join(f"{escaped(share.label)} {escaped(share.text)}" for share in block.shares)
        case Timeline():
            return ""
        case Fold():
            inner = "\n\n".join(_block(child) for child in block.children)
            return f"<details><summary>{_line(block.title)}</summary>\n\n{inner}\n\n</details>"


def _key_value(label: str, lines: tuple[Line, ...]) -> str:
    name = f"**{escaped(label)}** " if label else ""
    return f"- {name}" + "<br>".join(_line(line) for line in lines)


def _table(table: Table) -> Iterable[str]:
    yield "| " + " | ".join(escaped(column.name) for column in table.columns) + " |"
    yield "|" + "|".join(" ---: " if column.align == "right" else " --- " for column in table.columns) + "|"
    for row in table.rows:
        cells = (f"**{_line(cell.line)}**" if cell.marked else _line(cell.line) for cell in row)
        yield "| " + " | ".join(cells) + " |"


def _line(line: Line) -> str:
    return "".join(_inline(inline) for inline in line).strip()


def _inline(inline: Inline) -> str:
    match inline:
        case Text():
            return _text(inline)
        case Code():
            return code(inline.text)
        case Badge():
            return f"{code(inline.text)} "
        case Jump():
            return escaped(inline.text)
        case Place():
            return code(place_text(inline))
        case Change():
            return f"{code(inline.before)} → {code(inline.after)}"


def _text(inline: Text) -> str:
    text = escaped(inline.text)
    return (
        f"**{text.strip()}**{' ' * text.endswith(' ')}" if inline.tone in ("strong", "warn") and text.strip() else text
    )


def escaped(text: str) -> str:
    r"""Text in which nothing is markup, a mention or a reference.

    >>> escaped("<b> a_b | [x](y)")
    '&lt;b&gt; a\\_b \\| \\[x\\](y)'
    """
    text = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _SPECIAL.sub(r"\\\1", text)
    return _REFERENCE.sub(r"\1<!-- -->", text)


def code(text: str) -> str:
    """Text as inline code, fenced by more backticks than it holds; a bar would end a table's cell.

    >>> code("a`b")
    '`` a`b ``'
    """
    text = visible(text).replace("|", "¦")
    if not text.strip():
        return "` `"
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"`{text}`"


def fenced(lines: Iterable[str], language: str) -> str:
    """A code block that its lines cannot close."""
    body = [visible(line) for line in lines]
    longest = max((len(run) for line in body for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{language}", *body, fence])
