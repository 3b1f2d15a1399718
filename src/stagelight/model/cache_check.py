"""What a check of the persistent cache found."""

import msgspec


class CacheCheck(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the persistent compilation cache in this process.

    Attributes:
        is_on: Whether a folder is set and the cache is enabled.
        folder: The folder, empty where none is set.
        is_writable: Whether an entry could be written there.
        is_trusted: Whether nobody else can write there: what is in it is run without being looked at.
        entries: How many entries it holds; more than none is warm.
        size_bytes: Their size together.
        set_before_first_array: Whether the folder was set before JAX made its first array, so that no compile went
            without it; ``None`` where that cannot be told.
        least_compile_s: Compiles below this are not kept.
        problems: What is wrong and what to do, one sentence each.
    """

    is_on: bool
    folder: str = ""
    is_writable: bool = False
    is_trusted: bool = False
    entries: int = 0
    size_bytes: int = 0
    set_before_first_array: bool | None = None
    least_compile_s: float = 0.0
    problems: tuple[str, ...] = ()
