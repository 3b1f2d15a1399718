"""Which arguments of the explained function a tracer flows from."""

import weakref
from collections.abc import Iterable


class Origins:
    """Argument paths by tracer.

    Tracers cannot be hashed, and their ids are used again once they are gone: each entry holds a weak reference that
    says whether it is still about the same tracer.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref, tuple[str, ...]]] = {}

    def knows(self, tracer: object) -> bool:
        """Whether origins were recorded for this tracer."""
        entry = self._known.get(id(tracer))
        return entry is not None and entry[0]() is tracer

    def of(self, tracer: object) -> tuple[str, ...]:
        """Argument paths of a tracer; empty where none is known."""
        return self._known[id(tracer)][1] if self.knows(tracer) else ()

    def of_all(self, tracers: Iterable[object]) -> tuple[str, ...]:
        """Argument paths of several tracers, each once, in order."""
        return tuple(dict.fromkeys(path for tracer in tracers for path in self.of(tracer)))

    def record(self, tracer: object, paths: Iterable[str]) -> None:
        """Say what a tracer flows from."""
        self._known[id(tracer)] = (weakref.ref(tracer), tuple(dict.fromkeys(paths)))

    def derive(self, made: Iterable[object], sources: Iterable[object]) -> None:
        """Record the new tracers as flowing from all that the sources flow from."""
        self.give(made, self.of_all(sources))

    def give(self, made: Iterable[object], paths: Iterable[str]) -> None:
        """Record paths for those tracers of which nothing is known yet."""
        known = tuple(paths)
        for tracer in made:
            if not self.knows(tracer):
                self.record(tracer, known)
