"""The specializations of one function as rows of a table, the costliest kept."""

import msgspec

from stagelight.attribution.definitions import Definitions
from stagelight.attribution.key import Key
from stagelight.attribution.key_parts import (
    CONVENTION_PART,
    FUNCTION_OBJECT,
    STATIC_PREFIX,
    STRUCTURE_PART,
)
from stagelight.attribution.tree_changes import node_text
from stagelight.attribution.value_changes import joined
from stagelight.model.attribution import Miss, Specialization, SpecializationTable
from stagelight.model.aval import text_from_aval
from stagelight.model.function import Function
from stagelight.model.site import Site
from stagelight.model.structure import Structure, TreeNode
from stagelight.model.value import Value

MOST_COLUMNS = 32
LATEST = 32
"""Rows that are never folded while reading: a compile may still add to their cost."""


class Row(msgspec.Struct, gc=False):
    """One row while the ledger is read."""

    number: int
    key: Key
    changed: tuple[str, ...]
    causes: tuple[str, ...]
    call: Site
    seconds: float


def row_of(miss: Miss, key: Key, changed: tuple[str, ...]) -> Row:
    """The row of the trace that made a specialization."""
    return Row(
        number=miss.specialization,
        key=key,
        changed=changed,
        causes=tuple(dict.fromkeys([cause.slug for cause in miss.causes])),
        call=miss.call,
        seconds=miss.seconds,
    )


class TableRows:
    """Rows of one function; the costliest ``limit`` are kept, the rest is summed up."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rows: dict[int, Row] = {}
        self._columns: dict[str, None] = {}
        self._folded = 0
        self._folded_s = 0.0

    def add(self, row: Row) -> None:
        """Take in the trace of a new specialization."""
        for name in row.changed:
            if len(self._columns) < MOST_COLUMNS:
                self._columns.setdefault(name)
        self._rows[row.key.trace] = row
        if len(self._rows) > self._limit + 2 * LATEST:
            self._fold(keep_latest=LATEST)

    def add_seconds(self, trace: int, seconds: float) -> None:
        """A compile followed from a trace, or the same key was traced again."""
        row = self._rows.get(trace)
        if row is None:
            self._folded_s += seconds
        else:
            row.seconds += seconds

    def _fold(self, *, keep_latest: int) -> None:
        rows = list(self._rows.values())
        split = len(rows) - keep_latest
        older = sorted(rows[:split], key=lambda row: -row.seconds)
        for row in older[self._limit :]:
            del self._rows[row.key.trace]
            self._folded += 1
            self._folded_s += row.seconds

    def table(self, function: Function, definitions: Definitions) -> SpecializationTable:
        """The rows as they stand, costliest first."""
        rows = sorted(self._rows.values(), key=lambda row: -row.seconds)
        shown, rest = rows[: self._limit], rows[self._limit :]
        columns = tuple(self._columns)
        return SpecializationTable(
            function=function,
            columns=columns,
            rows=tuple(specialization(row, columns, definitions) for row in shown),
            folded=self._folded + len(rest),
            folded_s=self._folded_s + sum(row.seconds for row in rest),
        )


def specialization(row: Row, columns: tuple[str, ...], definitions: Definitions) -> Specialization:
    """One row, with the text of each column."""
    texts = part_texts(row.key, columns, definitions)
    return Specialization(
        number=row.number,
        trace=row.key.trace,
        parts=tuple((name, texts[name]) for name in columns if name in texts),
        changed=row.changed,
        seconds=row.seconds,
        causes=row.causes,
        call=row.call,
    )


def part_texts(key: Key, columns: tuple[str, ...], definitions: Definitions) -> dict[str, str]:
    """Text of each part of a key that is a column."""
    structure = definitions.structure(key.structure)
    wanted = set(columns)
    texts = {
        path: text_from_aval(aval) for path, aval in zip(structure.paths, key.avals, strict=False) if path in wanted
    }
    for name, value in key.static:
        if STATIC_PREFIX + name in wanted:
            texts[STATIC_PREFIX + name] = value.text
    for name in wanted - texts.keys():
        text = text_at(structure, name)
        if text:
            texts[name] = text
    if wanted - texts.keys():
        texts |= {name: text for name, text in definitions.context(key.context) if name in wanted}
    if FUNCTION_OBJECT in wanted:
        texts[FUNCTION_OBJECT] = f"object {key.object}"
    if CONVENTION_PART in wanted:
        texts[CONVENTION_PART] = convention_text(key)
    if STRUCTURE_PART in wanted:
        texts[STRUCTURE_PART] = structure_text(structure, texts)
    return texts


def text_at(structure: Structure, path: str) -> str:
    """The node or the piece of static data that stands at a path, empty where there is none.

    >>> leaf = TreeNode(kind="*")
    >>> pair = TreeNode(kind="tuple", keys=("[0]", "[1]"), children=(leaf, leaf))
    >>> tree = TreeNode(kind="dict", keys=("['w']",), children=(pair,))
    >>> text_at(Structure(arguments=(("p", tree),), paths=()), "p['w']")
    'tuple of 2'
    """
    for name, tree in structure.arguments:
        if is_within(path, name):
            return text_below(tree, name, path)
    return ""


def text_below(tree: TreeNode, at: str, path: str) -> str:
    """As ``text_at``, from one node down; trees may be deeper than Python's stack."""
    while at != path:
        for name, value in tree.metadata:
            if is_within(path, joined(at, name)):
                return value_text_at(value, joined(at, name), path)
        below = [(at + key, child) for key, child in zip(tree.keys, tree.children, strict=False)]
        found = next(((place, child) for place, child in below if is_within(path, place)), None)
        if found is None:
            return ""
        at, tree = found
    return node_text(tree, at, {})


def value_text_at(value: Value, at: str, path: str) -> str:
    """The text of the field that stands at a path, of the whole value where it has no such field."""
    while True:
        below = [(joined(at, name), field) for name, field in value.fields]
        found = next(((place, field) for place, field in below if is_within(path, place)), None)
        if found is None:
            return value.text
        at, value = found


def is_within(path: str, place: str) -> bool:
    """Whether a path is that of a place or of something below it.

    >>> is_within("p.w['a']", "p.w"), is_within("p.width", "p.w")
    (True, False)
    """
    return path == place or path.startswith((place + ".", place + "["))


def convention_text(key: Key) -> str:
    """How the call passed its arguments."""
    return ", ".join([f"{key.positional} by position", *(f"{name}=" for name in key.keywords)])


def structure_text(structure: Structure, leaves: dict[str, str]) -> str:
    """The arguments' outermost nodes."""
    return ", ".join(f"{name}: {node_text(tree, name, leaves)}" for name, tree in structure.arguments)
