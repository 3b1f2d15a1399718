"""The document: a small tree of frozen nodes between records and every way of showing them.

A view builds a tree; a renderer writes one. Text in a node is raw: each renderer makes it safe for its own medium, so
that no view can forget to.
"""

from typing import Literal

import msgspec

type Tone = Literal["plain", "strong", "muted", "good", "warn", "bad", "accent"]
type Align = Literal["left", "right"]


class Node(msgspec.Struct, frozen=True):
    """What every part of a document is."""


class Text(Node, frozen=True):
    """A run of words, in one tone."""

    text: str
    tone: Tone = "plain"


class Code(Node, frozen=True):
    """A run of text that is source, a path, an aval or a value."""

    text: str
    tone: Tone = "plain"


class Badge(Node, frozen=True):
    """A short label that names a kind; for a cause, its slug."""

    text: str
    tone: Tone = "plain"


class Place(Node, frozen=True):
    """A line of a file, as a reader would look it up."""

    file: str
    line: int
    function: str = ""


class Change(Node, frozen=True):
    """A value before and after."""

    before: str
    after: str


class Jump(Node, frozen=True):
    """Words that lead to an anchor of the same document, where the medium has such."""

    text: str
    anchor: str


type Inline = Text | Code | Badge | Place | Change | Jump
type Line = tuple[Inline, ...]


class Paragraph(Node, frozen=True):
    """One paragraph."""

    line: Line


class Bullets(Node, frozen=True):
    """A list of short lines."""

    lines: tuple[Line, ...]


class Command(Node, frozen=True):
    """A shell command to run as it stands, and what it does."""

    command: str
    purpose: str = ""


class KeyValues(Node, frozen=True):
    """Labels, each with one or more lines."""

    rows: tuple[tuple[str, tuple[Line, ...]], ...]


class Column(Node, frozen=True):
    """One column of a table.

    Attributes:
        name: Its heading.
        align: Numbers stand to the right.
        sortable: Whether a reader may sort by it, where the medium can.
        code: Whether its cells are code.
        place: Whether its cells are places, of which the end says most.
    """

    name: str
    align: Align = "left"
    sortable: bool = False
    code: bool = False
    place: bool = False


class Cell(Node, frozen=True):
    """One cell of a table.

    Attributes:
        line: What it shows.
        marked: Whether to make it stand out: the key part that changed.
        order: The number to sort by; ``None`` sorts by text.
    """

    line: Line
    marked: bool = False
    order: float | None = None


class Table(Node, frozen=True):
    """Rows under named columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""


class Source(Node, frozen=True):
    """A stretch of a source file.

    Attributes:
        file: Its name.
        first_line: 1-based number of the first line shown.
        lines: The lines, without their ends.
        marks: Line number → what to say of that line.
    """

    file: str
    first_line: int
    lines: tuple[str, ...]
    marks: tuple[tuple[int, str], ...] = ()


class Figure(Node, frozen=True):
    """One number that matters, with its label."""

    value: str
    label: str
    tone: Tone = "plain"


class Figures(Node, frozen=True):
    """Numbers side by side."""

    figures: tuple[Figure, ...]


class Share(Node, frozen=True):
    """One part of a whole."""

    label: str
    amount: float
    text: str
    kind: str = ""


class Split(Node, frozen=True):
    """A whole, divided: one bar with a legend."""

    label: str
    shares: tuple[Share, ...]


class Span(Node, frozen=True):
    """One stretch of a timeline; times in seconds since the session began."""

    kind: Literal["trace", "lower", "compile", "dispatch"]
    label: str
    start_s: float
    duration_s: float
    avoidable: bool = False
    note: str = ""


class Lane(Node, frozen=True):
    """One thread of one process."""

    label: str
    spans: tuple[Span, ...]
    folded: int = 0


class Timeline(Node, frozen=True):
    """What happened when, one lane a thread."""

    lanes: tuple[Lane, ...]


class Fold(Node, frozen=True):
    """Blocks that are closed at first, behind one line."""

    title: Line
    children: tuple["Block", ...]
    open: bool = False


class Section(Node, frozen=True):
    """A heading with what belongs to it.

    Attributes:
        title: The heading.
        children: The blocks.
        level: 1 for the document's parts, 2 for a function, 3 for a cause.
        anchor: Name that a ``Jump`` leads to.
        aside: What stands at the far end of the heading's line.
    """

    title: Line
    children: tuple["Block", ...]
    level: int = 1
    anchor: str = ""
    aside: Line = ()


type Block = Paragraph | Bullets | Command | KeyValues | Table | Source | Figures | Split | Timeline | Fold | Section


class Document(Node, frozen=True):
    """A whole document.

    Attributes:
        title: Its name, for a window or a tab.
        blocks: What it holds, in order.
        lead: One line under the title.
    """

    title: str
    blocks: tuple[Block, ...]
    lead: str = ""
