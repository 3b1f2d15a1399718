"""The lock file's contents: which specializations a program has, and how many traces and compiles they took."""

import msgspec

LOCK_SCHEMA = 1


class KeyPart(msgspec.Struct, frozen=True, array_like=True, order=True):
    """One part of a key: its name, and a text that means the same in another process."""

    name: str
    text: str


class PlacedLeaf(msgspec.Struct, frozen=True, array_like=True, order=True):
    """One committed argument: its path, its sharding, the devices, and the layout where it is not the default one."""

    path: str
    sharding: str
    devices: str
    layout: str = ""


class LockedSpecialization(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One specialization of one function: counts, no times.

    Attributes:
        key: The parts of its key, sorted by name.
        equations: Number of equations of its jaxpr, inner ones included.
        unrolled: Source lines that gave the same equations many times, as text without line numbers.
        constants: Captured arrays that became part of the program, as text with their size.
        placed: For each executable its committed arguments, where any has one; they are for warm-up, and no contract.
    """

    key: tuple[KeyPart, ...]
    equations: int = 0
    unrolled: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    placed: tuple[tuple[PlacedLeaf, ...], ...] = ()


class LockedFunction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One function.

    Attributes:
        name: File and qualified name, ``train.py::train_step``; no line number.
        traces: How often it was traced.
        compiles: How often something of it was compiled.
        causes: Avoidable causes by slug, and how often each held.
        specializations: In the order of their keys.
    """

    name: str
    traces: int = 0
    compiles: int = 0
    causes: tuple[tuple[str, int], ...] = ()
    specializations: tuple[LockedSpecialization, ...] = ()


class Lock(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A whole lock file.

    Attributes:
        schema: Version of the format.
        jax: The JAX that equation counts hold for.
        programs: What to run to see it again, each as on a command line.
        functions: The user's own functions, by name.
        imports: Where the classes and functions that keys name can be imported from, by how the keys name them: for
            warm-up, and no contract.
    """

    schema: int = LOCK_SCHEMA
    jax: str = ""
    programs: tuple[str, ...] = ()
    functions: tuple[LockedFunction, ...] = ()
    imports: tuple[tuple[str, str], ...] = ()
