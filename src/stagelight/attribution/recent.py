"""A map that forgets what is old, at no cost for each entry."""


class Recent[K, V]:
    """Keeps at least the latest ``most`` entries, and fewer than twice as many.

    Two plain dicts take turns. Deleting the oldest entry of one dict again and again would pass over everything that
    was deleted before it each time.

    >>> recent = Recent[int, str](most=2)
    >>> for n in range(5):
    ...     recent.put(n, str(n))
    >>> recent.get(0), recent.get(4)
    (None, '4')
    """

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._new: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def __len__(self) -> int:
        return len(self._new) + len(self._old)

    def get(self, key: K) -> V | None:
        """The latest value of a key, None where it was never put in or is forgotten."""
        value = self._new.get(key)
        return self._old.get(key) if value is None else value

    def put(self, key: K, value: V) -> None:
        """Take in a value."""
        self._new[key] = value
        if len(self._new) >= self._most:
            self._old, self._new = self._new, {}

    def drop(self, key: K) -> None:
        """Forget a key."""
        self._new.pop(key, None)
        self._old.pop(key, None)
