"""Ledgers read as one run, for comparison with another."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from stagelight.attribution.attributor import Attributor
from stagelight.comparison.run import KeyReader
from stagelight.model.comparison import RunFunction
from stagelight.model.ledger import Header, JaxSeen
from stagelight.recorder.kept_programs import kept_program
from stagelight.recorder.ledger_file import LedgerFile
from stagelight.report.collector import paused_collector
from stagelight.report.file_names import relative_name
from stagelight.report.function_sums import FunctionKey, function_key, sum_of_totals


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a comparison.

    Attributes:
        name: How the user named it.
        header: Of its first ledger, with JAX's version.
        ledgers: How many ledgers it has.
        functions: Its functions, file names relative to where it ran, so that hosts can be compared.
        places: Header and path of each ledger.
    """

    name: str
    header: Header
    ledgers: int
    functions: tuple[RunFunction, ...]
    places: tuple[tuple[Header, str], ...] = ()

    def program(self, digest: str) -> str | None:
        """Text of a kept program, where it is still there."""
        texts = (kept_program(header, path, digest) for header, path in self.places)
        return next((text for text in texts if text is not None), None)


def run_from_ledgers(name: str, ledgers: Sequence[LedgerFile]) -> Run:
    """Read a run.

    Args:
        name: How the user named it.
        ledgers: Its ledgers: one a process.
    """
    functions: dict[FunctionKey, RunFunction] = {}
    headers: list[Header] = []
    for ledger in ledgers:
        header, ones = _read(ledger)
        headers.append(header)
        for one in ones:
            key = function_key(one.function)
            known = functions.get(key)
            functions[key] = one if known is None else _sum(known, one)
    places = tuple((ledger.header, ledger.path) for ledger in ledgers)
    found = tuple(functions.values())
    return Run(name=name, header=headers[0], ledgers=len(headers), functions=found, places=places)


def _read(ledger: LedgerFile) -> tuple[Header, tuple[RunFunction, ...]]:
    attributor, keys, header = Attributor(), KeyReader(), ledger.header
    with paused_collector():
        for entry in ledger.entries():
            attributor.feed(entry)
            keys.feed(entry)
            if isinstance(entry, JaxSeen):
                header = replace(header, jax=entry.jax, jaxlib=entry.jaxlib)
    attributor.finish()
    folders = (header.folder,)
    found = keys.functions(attributor.totals())
    return header, tuple(_relative(one, folders) for one in found)


def _relative(one: RunFunction, folders: Sequence[str]) -> RunFunction:
    function = replace(one.function, file=relative_name(one.function.file, folders))
    return replace(one, function=function, totals=replace(one.totals, function=function))


def _sum(one: RunFunction, other: RunFunction) -> RunFunction:
    known = {(key.parts, key.context) for key in one.keys}
    keys = (*one.keys, *(key for key in other.keys if (key.parts, key.context) not in known))
    folded = one.keys_folded + other.keys_folded
    return replace(one, totals=sum_of_totals(one.totals, other.totals), keys=keys, keys_folded=folded)
