"""Failures until it is certain whether the program handled them."""

from stagelight.model.attribution import FailureFound
from stagelight.model.event import Failed
from stagelight.model.function import Function

MOST_PENDING = 256
"""The failure that ends a program is among its last: an older one was handled."""


class PendingFailures:
    """Failures until it is certain whether the program handled them."""

    def __init__(self) -> None:
        self._pending: dict[int, FailureFound] = {}

    def add(self, failed: Failed, function: Function) -> tuple[FailureFound, ...]:
        """Something raised; the failures that are certain by now."""
        what = failed.what
        self._pending[failed.failure] = FailureFound(
            slug=what.slug,
            error=what.error,
            function=function,
            site=what.site,
            column=what.column,
            expression=what.expression,
            arguments=what.arguments,
            message=what.message,
            call=failed.call,
        )
        if len(self._pending) <= MOST_PENDING:
            return ()
        return (self._pending.pop(next(iter(self._pending))),)

    def not_handled(self, failure: int) -> tuple[FailureFound, ...]:
        """The program ended with this failure: all before it were handled."""
        last = self._pending.pop(failure, None)
        if last is None:
            return ()
        return (*self.all_handled(), with_handled(last, False))

    def all_handled(self) -> tuple[FailureFound, ...]:
        """The program went on: everything that is still pending was handled."""
        found = tuple(self._pending.values())
        self._pending.clear()
        return found


def with_handled(failure: FailureFound, handled: bool) -> FailureFound:
    """The same failure, with whether the program handled it."""
    return FailureFound(
        slug=failure.slug,
        error=failure.error,
        function=failure.function,
        site=failure.site,
        column=failure.column,
        expression=failure.expression,
        arguments=failure.arguments,
        message=failure.message,
        call=failure.call,
        handled=handled,
    )
