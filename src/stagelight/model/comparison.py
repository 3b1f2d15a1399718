"""Two runs held against each other: what one traced or compiled that the other did not, and in what they differ."""

from typing import Literal

import msgspec

from stagelight.model.site import NOWHERE, Site


class KeyPart(msgspec.Struct, frozen=True, array_like=True):
    """One part of a key, in a form that means the same in another process: its name and its text."""

    name: str
    text: str


class Counts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Counts and seconds of a function, a key or a whole run."""

    traces: int = 0
    compiles: int = 0
    trace_s: float = 0.0
    lower_s: float = 0.0
    compile_s: float = 0.0


class RunKey(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One specialization of one function in one run.

    Attributes:
        parts: Its parts by name, sorted; the function object is none of them.
        counts: How often it was traced and compiled, and for how long.
        components: Digest of each component of its persistent-cache key, of its last compile.
        outcomes: What the persistent cache did, for each distinct outcome.
        call: From where it was first called.
    """

    parts: tuple[KeyPart, ...]
    counts: Counts = Counts()
    components: tuple[tuple[str, str], ...] = ()
    outcomes: tuple[str, ...] = ()
    call: Site = NOWHERE


class RunFunction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One function in one run.

    Attributes:
        name: Plain name.
        qualname: Qualified name.
        file: Where it is defined, below the working directory of the run where it is there.
        line: First line of its definition.
        ordinal: Which of the functions of that file with that name it is, by line, from 0.
        own: Whether it is the user's own code.
        counts: Sums over its keys.
        keys: Its specializations, in the order in which they were first traced.
    """

    name: str
    qualname: str
    file: str = ""
    line: int = 0
    ordinal: int = 0
    own: bool = False
    counts: Counts = Counts()
    keys: tuple[RunKey, ...] = ()


class Run(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one run (or one host, or a lock file) traced and compiled.

    Attributes:
        label: What people call it: the path of its ledger.
        jax: Version of JAX.
        jaxlib: Version of jaxlib.
        host: Name of the host.
        processes: How many ledgers it was read from.
        counts: Sums over all functions.
        functions: Its functions.
    """

    label: str
    jax: str = ""
    jaxlib: str = ""
    host: str = ""
    processes: int = 1
    counts: Counts = Counts()
    functions: tuple[RunFunction, ...] = ()


class PartChange(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a key that differs; the text is empty on the side that does not have it."""

    name: str
    before: str
    after: str


class OneSidedKey(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A specialization that only one of the runs has.

    Attributes:
        side: Which run has it.
        function: The function as that run has it, without its keys.
        key: The specialization.
        is_function_absent: Whether the other run does not have the function at all.
        changes: The parts in which it differs from the nearest key of the other run.
    """

    side: Literal["before", "after"]
    function: RunFunction
    key: RunKey
    is_function_absent: bool = False
    changes: tuple[PartChange, ...] = ()


class ComparedFunction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Counts of one function in both runs; those of a run that does not have it are all zero.

    Attributes:
        function: The function as the later run has it, else the earlier one; without its keys.
        before: Counts in the earlier run.
        after: Counts in the later run.
        keys_before: Number of specializations in the earlier run.
        keys_after: Number of specializations in the later run.
        keys_shared: How many of them both have.
    """

    function: RunFunction
    before: Counts
    after: Counts
    keys_before: int = 0
    keys_after: int = 0
    keys_shared: int = 0


class ComponentChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A component of the persistent-cache key that differs for specializations that both runs compiled.

    Attributes:
        name: The component: program, jaxlib, backend, XLA flags, compile options, devices.
        keys: For how many specializations it differs.
        of: For how many specializations both runs know it.
        functions: Names of functions of these, the first few.
        before: The digest in the earlier run, for the first of them.
        after: The digest in the later run, for the first of them.
    """

    name: str
    keys: int
    of: int
    functions: tuple[str, ...] = ()
    before: str = ""
    after: str = ""


class Comparison(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Two runs held against each other.

    Attributes:
        before: The earlier run, without its functions.
        after: The later run, without its functions.
        functions: Every function that either run has, those that differ most in seconds first.
        one_sided: Specializations that only one run has, costliest first.
        folded: How many more of those there are.
        components: Components of the persistent-cache key that differ, those that differ most often first.
        settings: Settings of the trace context that every key of one run has otherwise than every key of the other:
            they are named here once, and not at each specialization.
    """

    before: Run
    after: Run
    functions: tuple[ComparedFunction, ...] = ()
    one_sided: tuple[OneSidedKey, ...] = ()
    folded: int = 0
    components: tuple[ComponentChange, ...] = ()
    settings: tuple[PartChange, ...] = ()
