"""Two runs held against each other: what one traced or compiled that the other did not, and in which key part."""

import msgspec

from stagelight.model.attribution import FunctionTotals
from stagelight.model.function import Function
from stagelight.model.program_difference import ProgramDifference

type Part = tuple[str, str]


class RunKey(msgspec.Struct, frozen=True, kw_only=True):
    """One key of one function in one run, in words that mean the same in another run.

    Attributes:
        parts: Name and text of each part but the trace context: leaves by path, nodes of the pytree and their static
            data, static arguments, options of the jit, the calling convention.
        context: Name and text of each setting of the trace context.
        seconds: What its trace and compiles cost.
        components: Digest of each component of the persistent cache's key, where it was compiled.
        programs: Each program that was compiled for it and kept: name of its module, and its digest.
    """

    parts: tuple[Part, ...]
    context: tuple[Part, ...] = ()
    seconds: float = 0.0
    components: tuple[Part, ...] = ()
    programs: tuple[Part, ...] = ()


class ChangedPart(msgspec.Struct, frozen=True, kw_only=True):
    """One part that differs between two keys, or one setting that differs between two runs."""

    name: str
    before: str
    after: str


class RunFunction(msgspec.Struct, frozen=True, kw_only=True):
    """One function of one run.

    Attributes:
        function: The function.
        totals: Counts and seconds.
        keys: Its keys, in the order in which they were first seen; the function object is no part of them.
        keys_folded: How many more there were.
    """

    function: Function
    totals: FunctionTotals
    keys: tuple[RunKey, ...] = ()
    keys_folded: int = 0


class OnlyThere(msgspec.Struct, frozen=True, kw_only=True):
    """A key that only one of the runs has.

    Attributes:
        key: The key.
        changed: What differs from the nearest key of the other run, first run first; empty where that has none.
    """

    key: RunKey
    changed: tuple[ChangedPart, ...] = ()


class CacheComponent(msgspec.Struct, frozen=True, kw_only=True):
    """A component of the persistent cache's key that differs although the function and its key are the same.

    Attributes:
        name: The component: program, jaxlib, backend, XLA flags, compile options, devices.
        keys: For how many keys it differs.
        before: Its digest in the first run, for the first of them.
        after: Its digest in the second run, for the first of them.
    """

    name: str
    keys: int
    before: str = ""
    after: str = ""


class FunctionDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One function in two runs.

    Attributes:
        function: The function, as the later run names it if it is there.
        before: Counts and seconds in the first run; nothing where it is absent.
        after: The same in the second run.
        only_before: Keys that only the first run has.
        only_after: Keys that only the second run has.
        components: Components of the persistent cache's key that differ for keys that both have.
        programs: Kept programs of keys that both have, where they differ.
        keys_folded: Keys that were not compared because there were too many.
    """

    function: Function
    before: FunctionTotals | None = None
    after: FunctionTotals | None = None
    only_before: tuple[OnlyThere, ...] = ()
    only_after: tuple[OnlyThere, ...] = ()
    components: tuple[CacheComponent, ...] = ()
    programs: tuple[ProgramDifference, ...] = ()
    keys_folded: int = 0


class RunDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs held against each other.

    Attributes:
        functions: The functions that differ in any way, costliest difference first.
        same: How many functions do not differ.
        settings: Settings of the trace context that have one value throughout the first run and another throughout the
            second; they are named here once, and not at each key.
    """

    functions: tuple[FunctionDifference, ...]
    same: int = 0
    settings: tuple[ChangedPart, ...] = ()
