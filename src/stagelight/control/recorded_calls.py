"""The distinct calls of a program, from its ledgers."""

from collections.abc import Iterable, Iterator
from typing import Any

from stagelight.attribution.history import is_ahead_of_time
from stagelight.attribution.surroundings import transformations
from stagelight.model.event import Dispatched, FunctionSeen, StructureSeen, Traced
from stagelight.model.function import Function
from stagelight.model.placement import Placement
from stagelight.model.recorded_call import RecordedCall
from stagelight.model.structure import Structure
from stagelight.recorder.ledger_file import LedgerFile


def recorded_calls(ledgers: Iterable[LedgerFile]) -> tuple[RecordedCall, ...]:
    """Every distinct call of the user's own functions, each placement of its arguments once, in the order seen."""
    found: dict[RecordedCall, None] = {}
    for ledger in ledgers:
        found.update(dict.fromkeys(_calls_of(ledger)))
    return tuple(found)


def _calls_of(ledger: LedgerFile) -> Iterator[RecordedCall]:
    functions: dict[int, Function] = {}
    structures: dict[str, Structure] = {}
    traced_as: dict[Any, Traced] = {}
    for entry in ledger.entries():
        match entry:
            case FunctionSeen():
                functions[entry.function.number] = entry.function
            case StructureSeen():
                structures[entry.digest] = entry.structure
            case Traced():
                traced_as[_signature(entry)] = entry
                function = functions.get(entry.function)
                if function is not None and function.own and is_ahead_of_time(entry.under) and not entry.failed:
                    yield _call(function, entry, structures, entry.placements, entry.placement_of)
            case Dispatched():
                function, traced = functions.get(entry.function), traced_as.get(_signature(entry))
                if function is None or traced is None or not function.own or transformations(entry.under):
                    continue
                yield _call(function, traced, structures, entry.placements, entry.placement_of)
            case _:
                pass


def _signature(entry: Traced | Dispatched) -> Any:
    static = tuple((name, value.type_name, value.token) for name, value in entry.static)
    return entry.function, entry.structure, entry.avals, static


def _call(
    function: Function,
    traced: Traced,
    structures: dict[str, Structure],
    placements: tuple[Placement, ...],
    placement_of: tuple[int, ...],
) -> RecordedCall:
    structure = structures.get(traced.structure)
    count = len(traced.avals)
    if placements:
        placements = tuple(placements[i] for i in placement_of) if placement_of else placements[:1] * count
    return RecordedCall(
        function=function.name,
        qualname=function.qualname,
        parameters=function.parameters,
        positional=traced.positional,
        keywords=traced.keywords,
        arguments=structure.arguments if structure is not None else (),
        avals=traced.avals,
        paths=structure.paths if structure is not None else (),
        static=traced.static,
        placements=placements,
    )
