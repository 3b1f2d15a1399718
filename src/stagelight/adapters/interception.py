"""Replace a module's global by one that calls it, after checking that it is what it was written for."""

import inspect
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

ORIGINAL = "__stagelight_original__"


class Interception:
    """The replaced globals, so that they can be put back.

    A global that is looked up at call time is also replaced for functions that were jitted before.
    """

    def __init__(self, capabilities: dict[str, str]):
        self._capabilities = capabilities
        self._replaced: list[tuple[ModuleType, str, Any, Any]] = []

    def replace(
        self, module: ModuleType, name: str, parameters: Sequence[str], make: Callable[[Any], Any], capability: str
    ) -> bool:
        """Put ``make(original)`` in the place of ``module.name``.

        Args:
            module: The module that holds the global.
            name: Its name.
            parameters: The leading parameter names it must have.
            make: Given the original, returns the replacement.
            capability: What this gives; said ``on``, or why not, in the table of capabilities.

        Returns:
            Whether it was replaced.
        """
        symbol = f"{module.__name__}.{name}"
        original = getattr(module, name, None)
        if original is None:
            self._capabilities[capability] = f"off: this JAX has no {symbol}"
            return False
        found = parameter_names(original)
        if found is not None and found[: len(parameters)] != tuple(parameters):
            self._capabilities[capability] = f"off: {symbol} takes ({', '.join(found)}) in this JAX"
            return False
        replacement = make(original)
        setattr(replacement, ORIGINAL, original)
        setattr(module, name, replacement)
        self._replaced.append((module, name, original, replacement))
        self._capabilities[capability] = "on"
        return True

    def restore(self) -> None:
        """Put the originals back, last first; one that somebody else replaced since stays as it is."""
        while self._replaced:
            module, name, original, replacement = self._replaced.pop()
            if getattr(module, name, None) is replacement:
                setattr(module, name, original)


def parameter_names(function: Any) -> tuple[str, ...] | None:
    """Names of the parameters in order, or ``None`` where Python cannot tell."""
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None
