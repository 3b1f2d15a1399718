"""Replace a module's global by one that calls it, after checking that it is what it was written for."""

import inspect
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

ORIGINAL = "__stagelight_original__"


class Replaced(NamedTuple):
    """One replaced global of a module, or attribute of a class."""

    module: Any
    name: str
    original: Any
    replacement: Any


# Replacements that rest, of all recordings, in the order in which they began to: they are taken up again before
# another replacement is put over them or taken away.
_RESTING: list[Replaced] = []

# Replacements whose recordings have ended, while one that began later stands over them.
_ENDED: dict[tuple[int, str, int], Replaced] = {}


class Interception:
    """The replaced globals, so that they can be put back.

    A global that is looked up at call time is also replaced for functions that were jitted before.
    """

    def __init__(self, capabilities: dict[str, str]):
        self._capabilities = capabilities
        self._replaced: list[Replaced] = []

    def replace(
        self, module: ModuleType, name: str, parameters: Sequence[str], make: Callable[[Any], Any], capability: str
    ) -> Replaced | None:
        """Put ``make(original)`` in the place of ``module.name``.

        Args:
            module: The module that holds the global.
            name: Its name.
            parameters: The leading parameter names it must have.
            make: Given the original, returns the replacement.
            capability: What this gives; said ``on``, or why not, in the table of capabilities.

        Returns:
            What was replaced, or ``None``.
        """
        take_up_all()
        symbol = f"{module.__name__}.{name}"
        original = getattr(module, name, None)
        if original is None:
            self._capabilities[capability] = f"off: this JAX has no {symbol}"
            return None
        found = parameter_names(original)
        if found is not None and found[: len(parameters)] != tuple(parameters):
            self._capabilities[capability] = f"off: {symbol} takes ({', '.join(found)}) in this JAX"
            return None
        replacement = make(original)
        setattr(replacement, ORIGINAL, original)
        setattr(module, name, replacement)
        replaced = Replaced(module, name, original, replacement)
        self._replaced.append(replaced)
        self._capabilities[capability] = "on"
        return replaced

    def restore(self) -> None:
        """Put the originals back, last first; one that somebody else replaced since stays as it is."""
        take_up_all()
        while self._replaced:
            put_back(self._replaced.pop())


def put_back(replaced: Replaced) -> None:
    """Put an original back. Under the replacement of a recording that goes on, that one does it at its end.

    A global that somebody else replaced since stays as it is.
    """
    module, name, _, replacement = replaced
    _ENDED[id(module), name, id(replacement)] = replaced
    found = getattr(module, name, None)
    while (ended := _ENDED.pop((id(module), name, id(found)), None)) is not None:
        found = ended.original
        setattr(module, name, found)


def rest(replaced: Replaced) -> None:
    """Put an original back for a while, where its replacement would have nothing to do and costs at each call."""
    module, name, original, replacement = replaced
    if getattr(module, name, None) is replacement:
        setattr(module, name, original)
        _RESTING.append(replaced)


def take_up_all() -> None:
    """End the rest of every replacement, last first; a global that somebody else replaced since stays as it is."""
    while _RESTING:
        module, name, original, replacement = _RESTING.pop()
        if getattr(module, name, None) is original:
            setattr(module, name, replacement)


def parameter_names(function: Any) -> tuple[str, ...] | None:
    """Names of the parameters in order, or ``None`` where Python cannot tell."""
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None
