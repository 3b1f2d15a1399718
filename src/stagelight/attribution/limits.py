"""The limits beyond which something is worth an advisory."""

import msgspec


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of the advisories; ``[tool.stagelight]`` of a project may set them.

    Attributes:
        many: Specializations of one function.
        unrolled: Repetitions of one source line in one jaxpr.
        constant_bytes: Size of one captured array.
        growing: New sizes of one axis in a row.
        rows: Specializations of one function that are kept as table rows.
    """

    many: int = 8
    unrolled: int = 16
    constant_bytes: int = 1 << 20
    growing: int = 5
    rows: int = 200
