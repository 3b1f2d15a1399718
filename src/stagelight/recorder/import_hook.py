"""Be called when the program has imported JAX: never import it first, so that its own settings still count."""

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any


class AfterImport(importlib.abc.MetaPathFinder):
    """A finder that finds nothing: it lets the others find, and calls back once the module has run.

    Args:
        name: The top-level module to wait for.
        callback: Called once, after the module's code has run; what it raises is its own affair to catch.
    """

    def __init__(self, name: str, callback: Callable[[], None]):
        self._name = name
        self._callback = callback

    def install(self) -> None:
        """Wait; if the module is there already, call back at once."""
        module = sys.modules.get(self._name)
        if module is not None and not _is_being_imported(module):
            self._callback()
        else:
            sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Wait no longer."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """See ``importlib.abc.MetaPathFinder.find_spec``."""
        if fullname != self._name:
            return None
        self.remove()
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            self._call_back_after(spec.loader)
        return spec

    def _call_back_after(self, loader: Any) -> None:
        run = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module  # the loader is as it was, for reloads and for those who look at it
            run(module)
            self._callback()

        loader.exec_module = exec_module


def _is_being_imported(module: ModuleType) -> bool:
    spec = getattr(module, "__spec__", None)
    return bool(getattr(spec, "_initializing", False))
