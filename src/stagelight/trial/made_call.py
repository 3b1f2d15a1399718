"""The arguments of one call, kept to be made later."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from stagelight.errors import UsageError


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """Positional and keyword arguments; made with ``stagelight.call``."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = {}

    def make(self, function: Callable[..., Any]) -> Any:
        """Call a function with these arguments."""
        return function(*self.args, **self.kwargs)


def call(*args: Any, **kwargs: Any) -> Call:
    """The arguments of one call, to be made later.

    Example:
        >>> call(1, mode="sum")
        Call(args=(1,), kwargs={'mode': 'sum'})
    """
    return Call(args=args, kwargs=kwargs)


def call_from(given: Any) -> Call:
    """A call from what a user may give for one: a ``Call``, a tuple of positional or a dict of keyword arguments.

    Raises:
        UsageError: It is none of these.
    """
    if isinstance(given, Call):
        return given
    if type(given) is tuple:
        return Call(args=given)
    if type(given) is dict and all(isinstance(k, str) for k in given):
        return Call(kwargs=given)
    message = (
        f"a call is stagelight.call(...), a tuple of positional arguments or a dict of keyword arguments, "
        f"not {type(given).__name__}: write stagelight.call(x) for a single argument"
    )
    raise UsageError(message)
