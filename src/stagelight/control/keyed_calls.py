"""The distinct calls of a run, keyed in words that mean the same in another process."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from stagelight.attribution.history import is_ahead_of_time
from stagelight.attribution.surroundings import transformations
from stagelight.comparison.locked_key import locked_key
from stagelight.comparison.warm_coverage import coverage_of
from stagelight.model.coverage import Coverage, KeyedCall
from stagelight.model.event import ContextSeen, Dispatched, FunctionSeen, StructureSeen, Traced
from stagelight.model.function import Function
from stagelight.model.lock import KeyPart
from stagelight.model.placement import Placement
from stagelight.model.structure import Structure
from stagelight.recorder.ledger_file import LedgerFile

_EMPTY = Structure(arguments=(), paths=())
_PLACE = "place of "
# Parts of the context that are of one process or of what surrounds a call: no warm-up can have them.
_NOT_COMPARED = ("axis_env", "abstract_mesh_context", "trace context")


def warm_coverage(warmed: Sequence[LedgerFile], served: Sequence[LedgerFile]) -> Coverage:
    """Which calls of a served run a warm-up would have missed, and which warmed calls nobody made.

    Args:
        warmed: Ledgers of the warm-up.
        served: Ledgers of the served run, warmed up or not.
    """
    return coverage_of(_distinct(warmed), _distinct(served))


def _distinct(ledgers: Iterable[LedgerFile]) -> list[KeyedCall]:
    found: dict[Any, KeyedCall] = {}
    for ledger in ledgers:
        for call in _calls_of(ledger):
            found.setdefault((call.function, call.traced, call.placed), call)
    return list(found.values())


def _calls_of(ledger: LedgerFile) -> Iterator[KeyedCall]:
    functions: dict[int, Function] = {}
    structures: dict[str, Structure] = {}
    contexts: dict[str, tuple[tuple[str, str], ...]] = {}
    keys: dict[Any, tuple[KeyPart, ...]] = {}
    for entry in ledger.entries():
        match entry:
            case FunctionSeen():
                functions[entry.function.number] = entry.function
            case StructureSeen():
                structures[entry.digest] = entry.structure
            case ContextSeen():
                contexts[entry.digest] = tuple((n, t) for n, t in entry.settings if n not in _NOT_COMPARED)
            case Traced() if not entry.failed:
                structure = structures.get(entry.structure, _EMPTY)
                key = keys[_signature(entry)] = locked_key(entry, structure, contexts.get(entry.context, ()))
                if is_ahead_of_time(entry.under) and _is_own(functions, entry):
                    yield _call(functions[entry.function], key, structure, entry)
            case Dispatched() if _is_own(functions, entry) and not transformations(entry.under):
                key = keys.get(_signature(entry))
                if key is not None:
                    structure = structures.get(entry.structure, _EMPTY)
                    yield _call(functions[entry.function], key, structure, entry)
            case _:
                pass


def _is_own(functions: dict[int, Function], entry: Traced | Dispatched) -> bool:
    function = functions.get(entry.function)
    return function is not None and function.own


def _signature(entry: Traced | Dispatched) -> Any:
    static = tuple((name, value.type_name, value.token) for name, value in entry.static)
    return entry.function, entry.structure, entry.avals, static, entry.context


def _call(function: Function, key: tuple[KeyPart, ...], structure: Structure, entry: Traced | Dispatched) -> KeyedCall:
    name = f"{os.path.basename(function.file)}::{function.qualname}"
    site = entry.user if entry.user.file else entry.call
    return KeyedCall(function=name, traced=key, placed=_placed(structure, entry), call=site)


def _placed(structure: Structure, entry: Traced | Dispatched) -> tuple[KeyPart, ...]:
    distinct = entry.placements
    if not distinct:
        return ()
    which = entry.placement_of or (0,) * len(structure.paths)
    parts = [KeyPart(_PLACE + p, _place_text(distinct[i])) for p, i in zip(structure.paths, which, strict=False)]
    return tuple(sorted(parts))


def _place_text(placement: Placement) -> str:
    """Host values and uncommitted arrays are served by one executable; only a committed array decides where it runs."""
    if placement.kind != "array" or not placement.committed:
        return "uncommitted"
    return " ".join(text for text in ("committed to", placement.sharding, placement.devices, placement.layout) if text)
