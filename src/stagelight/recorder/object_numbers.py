"""Number objects without keeping them alive."""

import itertools
import weakref
from typing import Any

_FIRST_SWEEP = 4096


class ObjectNumbers:
    """Gives each object a number; a new object at the address of a dead one gets a new number.

    Objects that cannot be weakly referenced (tuples, objects with ``__slots__``) are told apart by address and type.
    The dead are swept out now and then: a callback at each death would cost the program more.
    """

    def __init__(self) -> None:
        self._next = itertools.count(1)
        self._known: dict[int, tuple[Any, int]] = {}
        self._living: dict[int, Any] = {}
        self._sweep_at = _FIRST_SWEEP

    def number(self, thing: Any) -> int:
        """The number of an object, the same as long as it lives."""
        address = id(thing)
        known = self._known.get(address)
        if known is not None:
            mark, number = known
            if is_marked(mark, thing):
                return number
        number = next(self._next)
        try:
            self._living[number] = mark = weakref.ref(thing)
        except TypeError:
            mark = type(thing)
        self._known[address] = (mark, number)
        if len(self._known) >= self._sweep_at:
            self._sweep()
        return number

    def _sweep(self) -> None:
        dead = [a for a, (mark, _) in self._known.items() if type(mark) is weakref.ref and mark() is None]
        for address in dead:
            del self._known[address]
        self._living = {number: mark for number, mark in self._living.items() if mark() is not None}
        self._sweep_at = max(_FIRST_SWEEP, 2 * len(self._known))

    def has(self, thing: Any, number: int) -> bool:
        """Whether a number is the one that an object has, without giving it one."""
        known = self._known.get(id(thing))
        return known is not None and known[1] == number and is_marked(known[0], thing)

    def reference(self, number: int) -> Any:
        """The weak reference to a numbered object, or ``None`` if it died or cannot be referenced."""
        mark = self._living.get(number)
        return mark if mark is not None and mark() is not None else None


def is_marked(mark: Any, thing: Any) -> bool:
    """Whether a mark, a weak reference or a type, was made of an object."""
    return (mark() is thing) if type(mark) is weakref.ref else (mark is type(thing))
