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

    def number(self, thing: Any) -> int:
        """The number of an object, the same as long as it lives."""
        address = id(thing)
        known = self._known.get(address)
        if known is not None:
            mark, number = known
            if (mark() is thing) if isinstance(mark, weakref.ref) else (mark is type(thing)):
                return number
        number = next(self._next)
        try:
            # The callback holds the table, not self: a session that ended is not kept alive by the program's objects.
            table = self._known
            mark = weakref.ref(thing, lambda _, table=table, address=address: table.pop(address, None))
        except TypeError:
            mark = type(thing)
        self._known[address] = (mark, number)
        return number

    def forget_all(self) -> None:
        """Start anew, keeping the count."""
        self._known.clear()
