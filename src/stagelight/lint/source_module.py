"""One Python module as text, and how the analysis asks for others."""

from collections.abc import Callable

import msgspec


class SourceModule(msgspec.Struct, frozen=True, kw_only=True):
    """The source of one module.

    Attributes:
        name: dotted name under which other modules import it.
        path: the path shown in findings.
        text: its source, decoded.
        is_package: whether it is an ``__init__`` file, from which relative imports start one level deeper.
        is_test: whether it is a test, where one-off compiles do no harm.
    """

    name: str
    path: str
    text: str
    is_package: bool = False
    is_test: bool = False


type LookUp = Callable[[str], SourceModule | None]
"""From a dotted module name to its source; None when it is not part of the program."""
