"""What differs between two specializations of one function."""

import msgspec


class LineDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One source line that the two specializations treat differently.

    Attributes:
        file: Path.
        line: Its number.
        text: The line.
        before: Equations of the first, in words; empty where the line did not run or made none.
        after: Those of the second.
        labels: Expressions whose binding time or aval differs: text, in the first, in the second.
    """

    file: str
    line: int
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    labels: tuple[tuple[str, str, str], ...] = ()


class ExplanationDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Two explanations of one function, side by side.

    Attributes:
        before: Call of the first.
        after: Call of the second.
        static: Static arguments that differ: name, in the first, in the second.
        lines: Lines that differ, in the order of the source.
        equations: Number of equations of each.
    """

    before: str
    after: str
    static: tuple[tuple[str, str, str], ...] = ()
    lines: tuple[LineDifference, ...] = ()
    equations: tuple[int, int] = (0, 0)
