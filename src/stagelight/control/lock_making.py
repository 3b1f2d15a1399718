"""From ledgers to what a lock file holds, with the evidence that only the ledgers have."""

import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from stagelight.attribution.attributor import Attributor
from stagelight.attribution.history import is_inspection
from stagelight.attribution.surroundings import transformations
from stagelight.comparison.locked_key import locked_key
from stagelight.control.lock_imports import LockImports
from stagelight.control.violation_text import cause_text, place_text
from stagelight.model.attribution import EXPECTED_CAUSES, Miss
from stagelight.model.aval import text_from_aval
from stagelight.model.event import ContextSeen, Dispatched, Event, FunctionSeen, StructureSeen, Traced
from stagelight.model.function import Function
from stagelight.model.ledger import Header, JaxSeen
from stagelight.model.lock import KeyPart, Lock, LockedFunction, LockedSpecialization, PlacedLeaf
from stagelight.model.structure import Structure
from stagelight.recorder.ledger_file import LedgerFile

_MOST_EVIDENCE = 3
_EMPTY = Structure(arguments=(), paths=())


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen.

    Attributes:
        lock: As the lock file holds it.
        places: Where each function is defined, by its name in the lock.
        evidence: What was said of each avoidable cause, by function and slug.
    """

    lock: Lock
    places: dict[str, tuple[str, int]]
    evidence: dict[tuple[str, str], tuple[str, ...]]


def seen_in(ledgers: Iterable[LedgerFile], programs: tuple[str, ...]) -> Seen:
    """Read ledgers of one program, and sum up what a lock holds.

    Args:
        ledgers: One for each process or run.
        programs: How the lock names what was run.
    """
    summing = Summing()
    for ledger in ledgers:
        summing.read(ledger.header, ledger.entries())
    return summing.seen(programs)


class _OneFunction:
    def __init__(self, function: Function):
        self.function = function
        self.counts: Counter[str] = Counter()
        self.causes: Counter[str] = Counter()
        self.evidence: dict[str, list[str]] = {}
        self.rows: dict[tuple[KeyPart, ...], LockedSpecialization] = {}
        self.placed: dict[tuple[KeyPart, ...], set[tuple[PlacedLeaf, ...]]] = {}


class Summing:
    """Sums up ledgers, entry by entry."""

    def __init__(self) -> None:
        self._functions: dict[str, _OneFunction] = {}
        self._imports = LockImports()
        self._jax = ""

    def read(self, header: Header, entries: Iterable[Event | JaxSeen]) -> None:
        """Take in one ledger."""
        attributor = Attributor()
        own: dict[int, Function] = {}
        structures: dict[str, Structure] = {}
        contexts: dict[str, tuple[tuple[str, str], ...]] = {}
        keys: dict[Any, tuple[KeyPart, ...]] = {}
        for entry in entries:
            match entry:
                case JaxSeen():
                    self._jax = entry.jax
                case FunctionSeen() if entry.function.own:
                    own[entry.function.number] = entry.function
                case StructureSeen():
                    structures[entry.digest] = entry.structure
                case ContextSeen():
                    contexts[entry.digest] = entry.settings
                case Traced() if entry.function in own and not entry.failed and not is_inspection(entry.under):
                    changed = _other_settings(contexts, entry.context)
                    structure = structures.get(entry.structure, _EMPTY)
                    key = keys[_signature(entry)] = locked_key(entry, structure, changed)
                    self._imports.add(entry, structure)
                    self._add_specialization(self._of(own[entry.function], header), key, entry)
                case Dispatched() if _signature(entry) in keys and not transformations(entry.under):
                    one = self._of(own[entry.function], header)
                    placed = _placed(entry, structures.get(entry.structure, _EMPTY))
                    one.placed.setdefault(keys[_signature(entry)], set()).add(placed)
                case _:
                    pass
            for conclusion in attributor.feed(entry):
                if isinstance(conclusion, Miss) and conclusion.function.own:
                    self._add_miss(self._of(conclusion.function, header), conclusion)

    def _of(self, function: Function, header: Header) -> _OneFunction:
        name = locked_name(function, header.folder)
        return self._functions.setdefault(name, _OneFunction(function))

    def _add_specialization(self, one: _OneFunction, key: tuple[KeyPart, ...], traced: Traced) -> None:
        known = one.rows.get(key)
        if known is not None and not traced.ran:
            return
        one.rows[key] = LockedSpecialization(
            key=key,
            equations=max(traced.equations, known.equations if known is not None else 0),
            unrolled=tuple(
                sorted({f"{u.site.function}: {u.repetitions} times {u.equations}" for u in traced.unrolled})
            ),
            constants=tuple(
                f"{c.name} {text_from_aval(c.aval)} {c.size_bytes} bytes".lstrip() for c in traced.constants
            ),
        )

    def _add_miss(self, one: _OneFunction, miss: Miss) -> None:
        if miss.ledger == "dispatch" or miss.failed:
            return
        one.counts[miss.ledger] += 1
        for slug in dict.fromkeys(cause.slug for cause in miss.causes):
            if slug in EXPECTED_CAUSES:
                continue
            one.causes[slug] += 1
            told = one.evidence.setdefault(slug, [])
            if len(told) < _MOST_EVIDENCE:
                cause = next(cause for cause in miss.causes if cause.slug == slug)
                told.append(f"{cause_text(cause)}, called at {place_text(miss.call)}")

    def seen(self, programs: tuple[str, ...]) -> Seen:
        """The sum."""
        functions = [_locked(name, self._functions[name]) for name in sorted(self._functions)]
        return Seen(
            lock=Lock(
                jax=self._jax,
                programs=programs,
                functions=tuple(f for f in functions if f.traces or f.compiles),
                imports=self._imports.sorted(),
            ),
            places={name: (one.function.file, one.function.line) for name, one in self._functions.items()},
            evidence={(n, slug): tuple(t) for n, one in self._functions.items() for slug, t in one.evidence.items()},
        )


def _locked(name: str, one: _OneFunction) -> LockedFunction:
    return LockedFunction(
        name=name,
        traces=one.counts["trace"],
        compiles=one.counts["compile"],
        causes=tuple(sorted(one.causes.items())),
        specializations=tuple(_with_placed(one.rows[key], one.placed.get(key, set())) for key in sorted(one.rows)),
    )


def _with_placed(row: LockedSpecialization, placed: set[tuple[PlacedLeaf, ...]]) -> LockedSpecialization:
    return msgspec.structs.replace(row, placed=tuple(sorted(placed))) if any(placed) else row


def _signature(entry: Traced | Dispatched) -> Any:
    static = tuple((name, value.type_name, value.token) for name, value in entry.static)
    return entry.function, entry.structure, entry.avals, static, entry.context


def _placed(entry: Dispatched, structure: Structure) -> tuple[PlacedLeaf, ...]:
    """The committed arguments of a call, sorted by path."""
    distinct = entry.placements
    which = entry.placement_of or (0,) * (len(structure.paths) if distinct else 0)
    of_path = zip(structure.paths, (distinct[i] for i in which), strict=False)
    return tuple(sorted(PlacedLeaf(path, at.sharding, at.devices, at.layout) for path, at in of_path if at.committed))


def locked_name(function: Function, folder: str) -> str:
    """File, relative to the folder of the run, and qualified name.

    >>> locked_name(Function(number=1, name="f", qualname="Model.f", file="/tmp/project/train.py"), "/tmp/project")
    'train.py::Model.f'
    """
    file = function.file
    if folder and file.startswith(folder.rstrip(os.sep) + os.sep):
        file = os.path.relpath(file, folder)
    elif os.path.isabs(file):
        file = function.module.replace(".", "/") + ".py" if function.module else os.path.basename(file)
    return f"{file.replace(os.sep, '/')}::{function.qualname}"


def _other_settings(contexts: dict[str, tuple[tuple[str, str], ...]], digest: str) -> tuple[tuple[str, str], ...]:
    """Settings that differ from those of the program's first trace: the rest says nothing of this function."""
    first = dict(next(iter(contexts.values()), ()))
    return tuple((name, text) for name, text in contexts.get(digest, ()) if first.get(name) != text)
