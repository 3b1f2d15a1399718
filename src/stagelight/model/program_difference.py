"""Two compiled programs held against each other, line by line."""

from typing import Literal

import msgspec

type Origin = Literal["source locations", "names", "constants", "order", "operations"]


class ProgramLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a program.

    Attributes:
        number: Its number in the kept file, from 1.
        text: The line, without source locations; a long one is cut around where it differs.
        operation: Name of the operation that it comes from (``jit(step)/dot_general``), where known.
        place: File and line in the source, innermost, where known.
    """

    number: int
    text: str
    operation: str = ""
    place: str = ""


class ProgramDifference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A program of one key that both runs compiled, and compiled differently.

    Attributes:
        module: Name of the module.
        origin: What the first difference comes from.
        detail: The same in words.
        before: The first lines that differ, in the first run.
        after: The same in the second run; empty where it ends earlier.
        differing: How many lines differ, the longer side counted.
        digest_before: Under which the first run keeps it.
        digest_after: Under which the second run keeps it.
    """

    module: str
    origin: Origin
    detail: str
    before: tuple[ProgramLine, ...] = ()
    after: tuple[ProgramLine, ...] = ()
    differing: int = 0
    digest_before: str = ""
    digest_after: str = ""
