"""Captured values that changed after the function was traced: the compiled program still uses the old ones."""

import weakref
from typing import Any

from stagelight.model.event import CaptureChanged
from stagelight.model.value import Captured, Value
from stagelight.recorder.book import Book
from stagelight.recorder.function_registry import Identity, innermost

_MOST_FUNCTIONS = 4096


class StaleCaptures:
    """Remembers what each traced function object carried, weakly, and looks again at the end.

    Args:
        book: The shared state.
    """

    def __init__(self, book: Book):
        self._book = book
        self._carried: dict[int, tuple[Any, Identity, tuple[Captured, ...]]] = {}
        self._static: dict[tuple[int, str, int], tuple[Any, Value]] = {}

    def traced(self, fun: Any, identity: Identity, captured: tuple[Captured, ...], static: dict[str, Any],
               described: tuple[tuple[str, Value], ...]) -> None:  # fmt: skip
        """Remember what a function of the user's carries, and its static objects, as they were at its latest trace."""
        if not identity.function.own or len(self._carried) >= _MOST_FUNCTIONS:
            return
        if captured:
            without_inner = Identity(identity.function, False, identity.object, None)
            self._carried[identity.object] = (self._book.numbers.reference(identity.object), without_inner, captured)
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
        for mark, identity, before in list(self._carried.values()):
            fun = mark() if mark is not None else None
            if fun is None:
                continue
            identity = Identity(identity.function, False, identity.object, innermost(fun)[0])
            now = {(c.kind, c.name): c.value for c in self._book.functions.captured(fun, identity)}
            for captured in before:
                after = now.get((captured.kind, captured.name))
                if after is not None and _differs(captured.value, after):
                    self._tell(identity.function.number, captured.name, captured.value, after, told)
        for (function, name, _), (mark, before_value) in list(self._static.items()):
            thing = mark()
            if thing is not None:
                after = self._book.describer.describe(thing)
                if after.content != before_value.content:
                    self._tell(function, name, before_value, after, told)

    def _tell(self, function: int, name: str, before: Value, after: Value, told: set[tuple[int, str]]) -> None:
        name, before, after = innermost_change(name, before, after)
        if (function, name) not in told:
            told.add((function, name))
            self._book.write(CaptureChanged(function=function, name=name, before=before, after=after))


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
