"""A document as text in a terminal: calm, aligned, wrapped at its width, colour only where it means something."""

import io
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text as RichText

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
from stagelight.report.terminal_table import table_lines
from stagelight.report.visible import visible, visible_source_line

WIDEST = 110
PIPED_WIDTH = 100
LABEL_WIDTH = 24

_STYLES = {
    "plain": "",
    "strong": "bold",
    "muted": "dim",
    "good": "green",
    "warn": "yellow",
    "bad": "red",
    "accent": "cyan",
}
_COMMANDS = ("::", "##[")
_ASCII = str.maketrans({"→": "->", "…": "...", "×": "x", "─": "-", "–": "-", "·": "|", "µ": "u", "█": "#", "▸": ">"})


def write_terminal(document: Document, file: TextIO | None = None, *, width: int | None = None) -> None:
    """Write a document to a stream: colours if it is a terminal and ``NO_COLOR`` is not set, plain text otherwise.

    Args:
        document: The document.
        file: The stream; standard output if absent.
        width: Columns; those of the terminal if absent.
    """
    stream = file or sys.stdout
    console = _console(stream, width)
    buffer = io.StringIO()
    target = Console(
        file=buffer,
        width=console.width,
        color_system=console.color_system,  # pyright: ignore[reportArgumentType]
        force_terminal=console.is_terminal,
        force_jupyter=False,
        no_color=console.no_color,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for line in _Writer(target, min(console.width, WIDEST)).document(document):
        target.print(line, soft_wrap=True, end="\n")
    stream.write(encodable(buffer.getvalue(), stream))
    stream.flush()


def terminal_text(document: Document, *, width: int = PIPED_WIDTH) -> str:
    """A document as plain text."""
    target = Console(file=io.StringIO(), width=width, color_system=None, force_terminal=False, force_jupyter=False)
    lines = [line.plain.rstrip() for line in _Writer(target, min(width, WIDEST)).document(document)]
    return "\n".join([*lines, ""])


def _console(stream: TextIO, width: int | None) -> Console:
    console = Console(file=stream, width=width, force_jupyter=False)
    if width is None and not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPED_WIDTH
    return console


def encodable(text: str, stream: TextIO) -> str:
    """The text in characters that a stream can take: a plain ASCII look where it must be."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    return text


class _Writer:
    """Turns blocks into lines no wider than ``width``."""

    def __init__(self, console: Console, width: int) -> None:
        self._console = console
        self._width = width

    def document(self, document: Document) -> Iterable[RichText]:
        for line in self._blocks(document.blocks, 0):
            text = line.plain.lstrip()
            if text.startswith(_COMMANDS):
                # A job of GitHub Actions runs such lines of its log, wherever they are from.
                line = RichText.assemble(line[: len(line) - len(text)], "…", line[len(line) - len(text) :])
            yield line

    def _blocks(self, blocks: Sequence[Block], indent: int) -> Iterable[RichText]:
        previous: Block | None = None
        for block in blocks:
            if previous is not None and not (isinstance(previous, KeyValues) and isinstance(block, KeyValues)):
                yield RichText()
            yield from self._block(block, indent)
            previous = block

    def _block(self, block: Block, indent: int) -> Iterable[RichText]:
        match block:
            case Paragraph():
                yield from self._wrapped(rich_line(block.line), indent)
            case Section():
                yield from self._section(block, indent)
            case KeyValues():
                yield from self._key_values(block, indent)
            case Table():
                rows = [[rich_line(cell.line) for cell in row] for row in block.rows]
                yield from table_lines(block, rows, self._width - indent, " " * indent)
            case Bullets():
                for line in block.lines:
                    yield from self._hanging(RichText("- ", "dim"), rich_line(line), indent, 2)
            case Command():
                yield from self._command(block, indent)
            case Source():
                yield from self._source(block, indent)
            case Figures():
                for figure in block.figures:
                    line = RichText.assemble((visible(figure.value), _STYLES[figure.tone]), f" {visible(figure.label)}")
                    yield from self._wrapped(line, indent)
            case Split():
                yield from self._split(block, indent)
            case Timeline():
                for lane in block.lanes:
                    yield from self._wrapped(RichText(f"{visible(lane.label)}: {len(lane.spans):,} spans"), indent)
            case Fold():
                yield from self._wrapped(rich_line(block.title), indent)
                yield from self._blocks(block.children, indent + 2)

    def _section(self, section: Section, indent: int) -> Iterable[RichText]:
        title, aside = rich_line(section.title), rich_line(section.aside)
        gap = self._width - indent - title.cell_len - aside.cell_len
        head = RichText(" " * indent)
        if section.aside and gap >= 2:
            yield RichText.assemble(head, title, " " * gap, aside)
        else:
            yield from self._wrapped(title, indent)
            if section.aside:
                yield from self._wrapped(aside, indent + 2)
        if section.level <= 2:
            yield RichText(" " * indent + "─" * (self._width - indent), "dim")
        yield from self._blocks(section.children, indent + 2 if section.level >= 2 else indent)

    def _key_values(self, block: KeyValues, indent: int) -> Iterable[RichText]:
        labels = [visible(label) for label, _ in block.rows]
        column = max((cell_len(label) for label in labels if cell_len(label) <= LABEL_WIDTH), default=0) + 2
        for label, (_, lines) in zip(labels, block.rows, strict=True):
            if cell_len(label) > LABEL_WIDTH:
                yield from self._wrapped(RichText(label, "dim"), indent)
                label = ""
            for number, line in enumerate(lines):
                first = label if number == 0 else ""
                prefix = RichText(first + " " * (column - cell_len(first)), "dim")
                yield from self._hanging(prefix, rich_line(line), indent, column)

    def _command(self, command: Command, indent: int) -> Iterable[RichText]:
        """A command is never broken: it must survive being copied."""
        if command.purpose:
            yield from self._wrapped(RichText(visible(command.purpose), "dim"), indent)
        yield RichText(" " * (indent + 2) + visible(command.command), "bold")

    def _source(self, source: Source, indent: int) -> Iterable[RichText]:
        marks = dict(source.marks)
        digits = len(str(source.first_line + len(source.lines)))
        for number, text in enumerate(source.lines, start=source.first_line):
            mark = "▸" if number in marks else " "
            line = RichText.assemble(" " * indent, (f"{mark} {number:>{digits}}  ", "dim"), visible_source_line(text))
            line.truncate(self._width, overflow="ellipsis")
            yield line

    def _split(self, split: Split, indent: int) -> Iterable[RichText]:
        shares = ", ".join(f"{visible(share.label)} {visible(share.text)}" for share in split.shares)
        yield from self._hanging(RichText(f"{visible(split.label)}  ", "dim"), RichText(shares), indent, 4)

    def _wrapped(self, text: RichText, indent: int) -> Iterable[RichText]:
        yield from self._hanging(RichText(), text, indent, 0)

    def _hanging(self, prefix: RichText, text: RichText, indent: int, hang: int) -> Iterable[RichText]:
        room = max(20, self._width - indent - max(hang, prefix.cell_len))
        for number, line in enumerate(text.wrap(self._console, room, overflow="fold") or [RichText()]):
            line.rstrip()
            head = prefix if number == 0 else RichText(" " * max(hang, prefix.cell_len))
            yield RichText.assemble(" " * indent, head, line)


def rich_line(line: Line) -> RichText:
    """Inline nodes as one styled line."""
    return RichText.assemble(*(_styled(inline) for inline in line))


def _styled(inline: Inline) -> RichText:
    match inline:
        case Text() | Code():
            return RichText(visible(inline.text), _STYLES[inline.tone])
        case Badge():
            return RichText(f"{visible(inline.text)} ", f"bold {_STYLES[inline.tone]}")
        case Jump():
            return RichText(visible(inline.text), "bold")
        case Place():
            return RichText(place_text(inline))
        case Change():
            return RichText.assemble(visible(inline.before), (" → ", "dim"), (visible(inline.after), "bold"))


def place_text(place: Place) -> str:
    """A place as ``file:line in function``."""
    within = f" in {visible(place.function)}" if place.function and place.function != "<module>" else ""
    return f"{visible(place.file)}:{place.line}{within}"
