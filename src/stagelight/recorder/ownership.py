"""Whose code a file is: the user's own, a library's, JAX's, Python's, or ours."""

import os
import sysconfig
from collections.abc import Iterable
from typing import Literal

type Owner = Literal["own", "library", "jax", "standard", "stagelight"]

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STANDARD = tuple({os.path.dirname(os.__file__) + os.sep, sysconfig.get_paths()["stdlib"] + os.sep})
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_TYPED_IN = ("<ipython", "<stdin", "<console", "<doctest", "<python-input", "<cell")


class Ownership:
    """Answers for files, each worked out once.

    Own code is what is neither in the standard library nor in site-packages, or belongs to a package named as own.

    Attributes:
        known: The answers so far by file, for those who ask for every frame of a stack.
        own_files: Whether a file is the user's own, by file.

    Args:
        own: Names of installed packages that count as the user's own.
    """

    def __init__(self, own: Iterable[str] = ()):
        self._own = tuple(f"{os.sep}{p.replace('.', os.sep)}{end}" for p in own for end in (os.sep, ".py"))
        self._jax: tuple[str, ...] = ()
        self.known: dict[str, Owner] = {}
        self.own_files = OwnFiles(self)

    def jax_is_in(self, folders: Iterable[str]) -> None:
        """Say where JAX is installed; until then its files count as a library's."""
        self._jax = tuple(os.path.abspath(f) + os.sep for f in folders)
        self.known.clear()
        self.own_files.clear()

    def of(self, file: str) -> Owner:
        """The owner of a file, by the name that its code objects carry."""
        owner = self.known.get(file)
        if owner is None:
            owner = self.known[file] = self._find(file)
        return owner

    def is_own(self, file: str) -> bool:
        """Whether a file is the user's own."""
        return self.of(file) == "own"

    def _find(self, file: str) -> Owner:
        if file.startswith(_HERE):
            return "stagelight"
        if self._jax and file.startswith(self._jax):
            return "jax"
        if file.startswith("<"):
            return "own" if file.startswith(_TYPED_IN) else "standard"
        if any(mark in file for mark in _INSTALLED):
            return "own" if any(mark in file for mark in self._own) else "library"
        return "standard" if file.startswith(_STANDARD) else "own"


class OwnFiles(dict[str, bool]):
    """Whether a file is the user's own; once it was asked for, the answer takes no Python."""

    def __init__(self, ownership: Ownership):
        super().__init__()
        self._ownership = ownership

    def __missing__(self, file: str) -> bool:
        answer = self[file] = self._ownership.is_own(file)
        return answer
