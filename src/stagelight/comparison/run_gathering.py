"""One run gathered from its ledgers, entry by entry: which functions were traced and compiled under which keys."""

from collections.abc import Callable

import msgspec

from stagelight.comparison.portable_key import key_parts
from stagelight.model.comparison import Counts, KeyPart, Run, RunFunction, RunKey
from stagelight.model.event import (
    Compiled,
    ContextSeen,
    Event,
    FunctionSeen,
    Lowered,
    StructureSeen,
    Traced,
)
from stagelight.model.function import Function
from stagelight.model.ledger import Header, JaxSeen
from stagelight.model.site import NOWHERE, Site
from stagelight.model.structure import Structure

INSPECTIONS = frozenset({"eval_shape", "make_jaxpr", "lower", "trace"})

type Place = tuple[str, str, int]


class GrowingKey(msgspec.Struct):
    """One specialization while the ledger is read."""

    parts: tuple[KeyPart, ...]
    call: Site = NOWHERE
    traces: int = 0
    compiles: int = 0
    trace_s: float = 0.0
    lower_s: float = 0.0
    compile_s: float = 0.0
    components: tuple[tuple[str, str], ...] = ()
    outcomes: tuple[str, ...] = ()

    def key(self) -> RunKey:
        """The record of it."""
        return RunKey(
            parts=self.parts,
            counts=Counts(
                traces=self.traces,
                compiles=self.compiles,
                trace_s=self.trace_s,
                lower_s=self.lower_s,
                compile_s=self.compile_s,
            ),
            components=self.components,
            outcomes=self.outcomes,
            call=self.call,
        )


class RunGathering:
    """Gathers one run. Call :meth:`begin` before the entries of each of its ledgers.

    Args:
        label: What people call the run.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self._run = Run(label=label, processes=0)
        self._folder = ""
        self._numbers: dict[int, Function] = {}
        self._structures: dict[str, Structure] = {}
        self._settings: dict[str, tuple[tuple[str, str], ...]] = {}
        self._keys_of_traces: dict[int, GrowingKey] = {}
        self._functions: dict[Place, Function] = {}
        self._keys: dict[Place, dict[tuple[KeyPart, ...], GrowingKey]] = {}
        self._readers: dict[type, Callable[..., None]] = {
            JaxSeen: self._on_jax,
            FunctionSeen: self._on_function,
            StructureSeen: self._on_structure,
            ContextSeen: self._on_context,
            Traced: self._on_traced,
            Lowered: self._on_lowered,
            Compiled: self._on_compiled,
        }

    def begin(self, header: Header) -> None:
        """A ledger begins: numbers and digests start anew."""
        replaced = {"jax": header.jax or self._run.jax, "jaxlib": header.jaxlib or self._run.jaxlib}
        processes = self._run.processes + 1
        host = header.host if processes == 1 else self._run.host
        self._run = msgspec.structs.replace(self._run, processes=processes, host=host, **replaced)
        self._folder = header.folder.rstrip("/") + "/" if header.folder else ""
        for table in (self._numbers, self._structures, self._settings, self._keys_of_traces):
            table.clear()

    def feed(self, entry: Event | JaxSeen) -> None:
        """Take in the next entry."""
        read = self._readers.get(type(entry))
        if read is not None:
            read(entry)

    def run(self) -> Run:
        """The run as gathered so far."""
        ordinals = ordinals_by_line(self._functions)
        functions = tuple(
            self._function(place, function, ordinals[place]) for place, function in self._functions.items()
        )
        return msgspec.structs.replace(
            self._run, functions=functions, counts=sum_of_counts([f.counts for f in functions])
        )

    def _function(self, place: Place, function: Function, ordinal: int) -> RunFunction:
        keys = tuple(growing.key() for growing in self._keys[place].values())
        return RunFunction(
            name=function.name,
            qualname=function.qualname,
            file=place[0],
            line=function.line,
            ordinal=ordinal,
            own=function.own,
            counts=sum_of_counts([key.counts for key in keys]),
            keys=keys,
        )

    def _on_jax(self, entry: JaxSeen) -> None:
        self._run = msgspec.structs.replace(self._run, jax=entry.jax, jaxlib=entry.jaxlib)

    def _on_function(self, entry: FunctionSeen) -> None:
        self._numbers[entry.function.number] = entry.function

    def _on_structure(self, entry: StructureSeen) -> None:
        self._structures[entry.digest] = entry.structure

    def _on_context(self, entry: ContextSeen) -> None:
        self._settings[entry.digest] = entry.settings

    def _on_traced(self, traced: Traced) -> None:
        if traced.failed or not INSPECTIONS.isdisjoint(traced.under):
            return
        structure = self._structures.get(traced.structure, Structure(arguments=(), paths=()))
        parts = key_parts(traced, structure, self._settings.get(traced.context, ()))
        growing = self._growing(traced.function, "", parts)
        self._keys_of_traces[traced.trace] = growing
        if growing.call is NOWHERE:
            growing.call = traced.user if traced.user.file else traced.call
        if traced.ran:
            growing.traces += 1
            growing.trace_s += traced.self_s or traced.trace_s

    def _on_lowered(self, lowered: Lowered) -> None:
        if not lowered.failed:
            self._growing_of(lowered).lower_s += lowered.lower_s

    def _on_compiled(self, compiled: Compiled) -> None:
        if compiled.failed:
            return
        growing = self._growing_of(compiled)
        growing.compiles += 1
        growing.compile_s += compiled.compile_s
        growing.components = compiled.persistent.components or growing.components
        if compiled.persistent.outcome not in growing.outcomes:
            growing.outcomes = (*growing.outcomes, compiled.persistent.outcome)

    def _growing_of(self, entry: Lowered | Compiled) -> GrowingKey:
        """The specialization that a lowering or compile belongs to; one without parts where its trace is not known."""
        known = self._keys_of_traces.get(entry.trace)
        return known or self._growing(entry.function, module_name(entry.module), ())

    def _growing(self, number: int, otherwise: str, parts: tuple[KeyPart, ...]) -> GrowingKey:
        name = otherwise or "unknown"
        function = self._numbers.get(number) or Function(number=number, name=name, qualname=name)
        file = function.file.removeprefix(self._folder) if self._folder else function.file
        place = (file, function.qualname, function.line)
        self._functions.setdefault(place, function)
        keys = self._keys.setdefault(place, {})
        return keys.setdefault(parts, GrowingKey(parts))


def ordinals_by_line(functions: dict[Place, Function]) -> dict[Place, int]:
    """Which of the functions of one file and name each is: lines move between runs, their order seldom."""
    seen: dict[tuple[str, str], int] = {}
    ordinals: dict[Place, int] = {}
    for place in sorted(functions):
        named = place[:2]
        ordinals[place] = seen.get(named, 0)
        seen[named] = ordinals[place] + 1
    return ordinals


def module_name(module: str) -> str:
    """The function's name in the name of a lowered module, which JAX writes in two ways.

    >>> module_name("jit(step)"), module_name("jit_step")
    ('step', 'step')
    """
    return module[4:-1] if module.startswith("jit(") else module.removeprefix("jit_")


def sum_of_counts(counts: list[Counts]) -> Counts:
    """Their sums."""
    return Counts(
        traces=sum(c.traces for c in counts),
        compiles=sum(c.compiles for c in counts),
        trace_s=sum(c.trace_s for c in counts),
        lower_s=sum(c.lower_s for c in counts),
        compile_s=sum(c.compile_s for c in counts),
    )
