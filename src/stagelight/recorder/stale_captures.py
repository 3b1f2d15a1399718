"""Captured values that changed after the function was traced: the compiled program still uses the old ones."""

import dis
import weakref
from collections.abc import Iterator
from types import CellType, CodeType
from typing import Any

import msgspec

from stagelight.model.event import CaptureChanged
from stagelight.model.function import Function
from stagelight.model.value import Captured, Value
from stagelight.recorder.book import Book
from stagelight.recorder.function_registry import Identity, innermost
from stagelight.recorder.value_description import is_plain

_MOST_FUNCTIONS = 4096


class Carried(msgspec.Struct, frozen=True, gc=False):
    """What a function object carried at its latest trace.

    Attributes:
        mark: Weak reference to the object.
        function: Who it is.
        object: Its number.
        captured: The values, described.
        code: Its code.
        cells: Its cells that held plain values, by name: a cell is kept, the function is not.
    """

    mark: Any
    function: Function
    object: int
    captured: tuple[Captured, ...]
    code: CodeType | None
    cells: tuple[tuple[str, CellType], ...]


class StaleCaptures:
    """Remembers what each traced function object carried, weakly, and looks again at the end.

    Args:
        book: The shared state.
    """

    def __init__(self, book: Book):
        self._book = book
        self._carried: dict[int, Carried] = {}
        self._static: dict[tuple[int, str, int], tuple[Any, Value]] = {}

    def traced(self, fun: Any, identity: Identity, captured: tuple[Captured, ...], static: dict[str, Any],
               described: tuple[tuple[str, Value], ...]) -> None:  # fmt: skip
        """Remember what a function of the user's carries, and its static objects, as they were at its latest trace."""
        if not identity.function.own or len(self._carried) >= _MOST_FUNCTIONS:
            return
        if captured:
            self._carried[identity.object] = Carried(
                self._book.numbers.reference(identity.object),
                identity.function,
                identity.object,
                captured,
                getattr(identity.inner, "__code__", None),
                plain_cells_of(identity.inner),
            )
        for name, value in described:
            if value.compared_by in ("identity", "hash") and value.fields and name in static:
                try:
                    mark = weakref.ref(static[name])
                except TypeError:
                    continue
                self._static.setdefault((identity.function.number, name, id(static[name])), (mark, value))

    def write_changes(self) -> None:
        """Write one entry for each value that is no longer what it was."""
        told: set[tuple[int, str]] = set()
        latest = {c.function.number: c.object for c in sorted(self._carried.values(), key=lambda c: c.object)}
        for carried in list(self._carried.values()):
            if carried.object != latest[carried.function.number] and is_gone(carried):
                continue  # made anew since: nobody calls it any more
            now = self._carried_now(carried)
            written = written_names(carried.code)
            for captured in carried.captured:
                after = now.get((captured.kind, captured.name))
                if after is None or captured.name in written or not _differs(captured.value, after):
                    continue
                self._tell(carried.function.number, captured.name, captured.value, after, told)
        for (function, name, _), (mark, before_value) in list(self._static.items()):
            thing = mark()
            if thing is not None:
                after = self._book.describer.describe(thing)
                if after.content != before_value.content:
                    self._tell(function, name, before_value, after, told)

    def _carried_now(self, carried: Carried) -> dict[tuple[str, str], Value]:
        fun = carried.mark() if carried.mark is not None else None
        if fun is None:  # a local function that is gone: what others may have changed is in its cells
            describe = self._book.describer.describe
            return {("closure", name): describe(value) for name, value in contents_of(carried.cells)}
        identity = Identity(carried.function, False, carried.object, innermost(fun)[0])
        return {(c.kind, c.name): c.value for c in self._book.functions.captured(fun, identity)}

    def _tell(self, function: int, name: str, before: Value, after: Value, told: set[tuple[int, str]]) -> None:
        name, before, after = innermost_change(name, before, after)
        if (function, name) not in told:
            told.add((function, name))
            self._book.write(CaptureChanged(function=function, name=name, before=before, after=after))


def is_gone(carried: Carried) -> bool:
    """Whether the function object died."""
    return carried.mark is None or carried.mark() is None


def _differs(before: Value, after: Value) -> bool:
    return (before.type_name, before.token, before.content) != (after.type_name, after.token, after.content)


def innermost_change(name: str, before: Value, after: Value) -> tuple[str, Value, Value]:
    """Follow a change into the fields of an object, as long as exactly one field differs."""
    for _ in range(8):
        then, now = dict(before.fields), dict(after.fields)
        if before.type_name != after.type_name or set(then) != set(now):
            break
        changed = [k for k in then if _differs(then[k], now[k])]
        if len(changed) != 1:
            break
        key = changed[0]
        name += key if key.startswith("[") else f".{key}"
        before, after = then[key], now[key]
    return name, before, after


def plain_cells_of(inner: Any) -> tuple[tuple[str, CellType], ...]:
    """Cells of a closure that hold plain values now, by name."""
    cells = getattr(inner, "__closure__", None)
    if not cells:
        return ()
    named = zip(inner.__code__.co_freevars, cells, strict=False)
    return tuple([(name, cell) for name, cell in named if is_plain(contents(cell))])


def contents(cell: CellType) -> Any:
    """What a cell holds; a cell that is bound later holds itself."""
    try:
        return cell.cell_contents
    except ValueError:
        return cell


def contents_of(cells: tuple[tuple[str, CellType], ...]) -> Iterator[tuple[str, Any]]:
    """Name and value of each cell that is bound."""
    for name, cell in cells:
        try:
            yield name, cell.cell_contents
        except ValueError:
            continue


def written_names(code: CodeType | None) -> set[str]:
    """Names outside a function that its own code assigns: a counter changes in every trace, and is meant to."""
    if code is None:
        return set()
    return {i.argval for i in dis.get_instructions(code) if i.opname in ("STORE_GLOBAL", "STORE_DEREF")}
