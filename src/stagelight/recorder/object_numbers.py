"""Number objects without keeping them alive."""

import itertools
import weakref
from typing import Any


class ObjectNumbers:
    """Gives each object a number; a new object at the address of a dead one gets a new number.

    Objects that cannot be weakly referenced (tuples, objects with ``__slots__``) are told apart by address and type.
    """

    def __init__(self) -> None:
        self._next = itertools.count(1)
        self._known: dict[int, tuple[Any, int]] = {}
        self._living: dict[int, Any] = {}

    def number(self, thing: Any) -> int:
        """The number of an object, the same as long as it lives."""
        address = id(thing)
        known = self._known.get(address)
        if known is not None:
            mark, number = known
            if (mark() is thing) if type(mark) is weakref.ref else (mark is type(thing)):
                return number
        number = next(self._next)
        # The callback holds the tables, not self: a session that ended is not kept alive by the program's objects.
        known, living = self._known, self._living

        def died(_: Any) -> None:
            known.pop(address, None)
            living.pop(number, None)

        try:
            living[number] = mark = weakref.ref(thing, died)
        except TypeError:
            mark = type(thing)
        known[address] = (mark, number)
        return number

    def reference(self, number: int) -> Any:
        """The weak reference to a numbered object, or ``None`` if it died or cannot be referenced."""
        return self._living.get(number)
