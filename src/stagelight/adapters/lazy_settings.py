"""Settings of a trace context that are read only where the context was not seen before."""

from collections.abc import Callable, Iterator
from typing import Any

type Setting = tuple[str, Any]


class LazySettings:
    """Named settings that are worked out when they are iterated."""

    def __init__(self, read: Callable[[], tuple[Setting, ...]]):
        self._read = read

    def __iter__(self) -> Iterator[Setting]:
        return iter(self._read())
