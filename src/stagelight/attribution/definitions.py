"""The definitions of one ledger: what the numbers and digests of later entries stand for."""

import msgspec

from stagelight.model.event import ContextSeen, FunctionSeen, StructureSeen
from stagelight.model.function import Function
from stagelight.model.structure import Structure

NO_STRUCTURE = Structure(arguments=(), paths=())


class Definitions(msgspec.Struct, kw_only=True):
    """Functions, structures and contexts by the name that later entries use."""

    functions: dict[int, Function] = msgspec.field(default_factory=dict[int, Function])
    structures: dict[str, Structure] = msgspec.field(default_factory=dict[str, Structure])
    contexts: dict[str, tuple[tuple[str, str], ...]] = msgspec.field(
        default_factory=dict[str, tuple[tuple[str, str], ...]]
    )

    def learn(self, entry: FunctionSeen | StructureSeen | ContextSeen) -> None:
        """Take in one definition."""
        if isinstance(entry, FunctionSeen):
            self.functions[entry.function.number] = entry.function
        elif isinstance(entry, StructureSeen):
            self.structures[entry.digest] = entry.structure
        else:
            self.contexts[entry.digest] = entry.settings

    def function(self, number: int, otherwise: str = "") -> Function:
        """The function of that number; where the ledger does not name it, one that is called ``otherwise``."""
        known = self.functions.get(number)
        if known is not None:
            return known
        name = otherwise or "unknown"
        return Function(number=number, name=name, qualname=name)

    def structure(self, digest: str) -> Structure:
        """The structure of that digest, empty where the ledger does not hold it."""
        return self.structures.get(digest, NO_STRUCTURE)

    def context(self, digest: str) -> tuple[tuple[str, str], ...]:
        """The settings of that context, empty where the ledger does not hold it."""
        return self.contexts.get(digest, ())


def name_of_module(module: str) -> str:
    """The function's name in the name of a lowered module.

    JAX writes ``jit(step)`` in its events and ``jit_step`` in StableHLO.

    >>> name_of_module("jit(_where)"), name_of_module("jit_step")
    ('_where', 'step')
    """
    if module.startswith("jit(") and module.endswith(")"):
        return module[4:-1]
    return module.removeprefix("jit_")
