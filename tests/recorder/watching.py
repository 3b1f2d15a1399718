"""Watch a block in this process and read back what was recorded."""

from stagelight.model.event import Event, FunctionSeen, StructureSeen
from stagelight.recorder.watching import watch


class Watched:
    """The entries of a block, with their definitions by number."""

    def __init__(self, entries):
        self.entries = list(entries)
        self.functions = {e.function.number: e.function for e in self.entries if isinstance(e, FunctionSeen)}
        self.structures = {e.digest: e.structure for e in self.entries if isinstance(e, StructureSeen)}

    def of(self, kind: type[Event], name: str = "") -> list:
        """Entries of a kind, of the function of a name."""
        found = [e for e in self.entries if isinstance(e, kind)]
        return [e for e in found if not name or (e.function and self.functions[e.function].name == name)]

    def structure(self, traced):
        """The structure of a trace."""
        return self.structures[traced.structure]


def watched(block, **options) -> Watched:
    """Run a block under ``watch``; what it raises passes through after the entries are read."""
    with watch(**options) as ledger:
        block()
    return Watched(ledger.entries())
