"""A place in source code."""

import msgspec


class Site(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One line of one file, and the function that it is in.

    Attributes:
        file: Path as Python knows it (absolute where it could be made so).
        line: 1-based.
        function: Qualified name of the code around it.
    """

    file: str
    line: int
    function: str = ""


NOWHERE = Site("", 0)
