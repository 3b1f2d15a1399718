"""One object for each distinct value: a ledger repeats the same avals, sites and placements at every trace."""

from collections.abc import Hashable

from stagelight.model.aval import Aval

MOST_VALUES = 1 << 18


class OneOfEach:
    """One object for each distinct value, as long as there are not too many.

    Equal avals being one object also lets two keys be compared leaf by leaf without looking into the avals.
    """

    def __init__(self) -> None:
        self._avals: dict[Aval, Aval] = {}
        self._values: dict[Hashable, Hashable] = {}

    def avals(self, avals: tuple[Aval, ...]) -> tuple[Aval, ...]:
        """The same avals, each the one object of its value."""
        if len(self._avals) > MOST_VALUES:
            self._avals.clear()
        one_of_each = self._avals.setdefault
        return tuple([one_of_each(aval, aval) for aval in avals])

    def value[T: Hashable](self, value: T) -> T:
        """The one object of this value."""
        return self.value_by(value, value)

    def value_by[T: Hashable](self, key: Hashable, value: T) -> T:
        """The one object of the values that have this key."""
        if len(self._values) > MOST_VALUES:
            self._values.clear()
        known = self._values.setdefault(key, value)
        return known if type(known) is type(value) else value
