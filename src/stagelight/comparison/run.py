"""One run, as far as it is compared with another."""

from stagelight.comparison.run_key import parts_of_trace, stable_text
from stagelight.model.attribution import FunctionTotals
from stagelight.model.comparison import Part, RunFunction, RunKey
from stagelight.model.event import (
    Compiled,
    ContextSeen,
    Event,
    FunctionSeen,
    Lowered,
    StructureSeen,
    Traced,
)
from stagelight.model.ledger import JaxSeen
from stagelight.model.structure import Structure

# Keys of one function that are compared; more than that is a finding of its own, and the rest is counted.
MOST_KEYS = 400

INSPECTIONS = frozenset({"eval_shape", "make_jaxpr", "bucketing"})


class KeyReader:
    """Collects the keys of one process, entry by entry, in bounded memory for each function."""

    def __init__(self) -> None:
        self._structures: dict[str, Structure] = {}
        self._contexts: dict[str, tuple[Part, ...]] = {}
        self._functions: dict[int, _GrowingKeys] = {}
        self._key_of_trace: dict[int, _GrowingKey] = {}

    def feed(self, entry: Event | JaxSeen) -> None:
        """Take in one entry."""
        match entry:
            case Traced():
                self._trace(entry)
            case Lowered():
                self._spend(entry.trace, entry.lower_s)
            case Compiled():
                self._spend(entry.trace, entry.compile_s, entry.persistent.components)
                self._keep(entry)
            case StructureSeen():
                self._structures[entry.digest] = entry.structure
            case ContextSeen():
                self._contexts[entry.digest] = tuple([(name, stable_text(text)) for name, text in entry.settings])
            case FunctionSeen():
                self._functions.setdefault(entry.function.number, _GrowingKeys())
            case _:
                pass

    def functions(self, totals: tuple[FunctionTotals, ...]) -> tuple[RunFunction, ...]:
        """The functions, with the counts that attribution gave them."""
        return tuple(self._function(one) for one in totals)

    def _function(self, totals: FunctionTotals) -> RunFunction:
        growing = self._functions.get(totals.function.number) or _GrowingKeys()
        keys = tuple(key.key() for key in growing.keys.values())
        return RunFunction(function=totals.function, totals=totals, keys=keys, keys_folded=growing.folded)

    def _trace(self, traced: Traced) -> None:
        """A failed trace leaves no key, and one that was only looked at is none of the run's."""
        if traced.failed or not INSPECTIONS.isdisjoint(traced.under):
            return
        growing = self._functions.setdefault(traced.function, _GrowingKeys())
        static = tuple([(name, value.text) for name, value in traced.static])
        raw = (traced.structure, traced.avals, static, traced.options, traced.context, traced.keywords)
        key = growing.keys.get(raw)
        if key is None:
            if len(growing.keys) >= MOST_KEYS:
                growing.folded += 1
                return
            parts = parts_of_trace(traced, self._structures.get(traced.structure))
            key = growing.keys[raw] = _GrowingKey(parts, self._contexts.get(traced.context, ()))
        key.seconds += traced.self_s
        self._key_of_trace[traced.trace] = key

    def _spend(self, trace: int, seconds: float, components: tuple[Part, ...] = ()) -> None:
        key = self._key_of_trace.get(trace)
        if key is not None:
            key.seconds += seconds
            key.components = components or key.components

    def _keep(self, compiled: Compiled) -> None:
        key = self._key_of_trace.get(compiled.trace)
        if key is not None and compiled.kept_program:
            key.programs[compiled.module, compiled.kept_program] = None


class _GrowingKey:
    __slots__ = ("components", "context", "parts", "programs", "seconds")

    def __init__(self, parts: tuple[Part, ...], context: tuple[Part, ...]) -> None:
        self.parts = parts
        self.context = context
        self.seconds = 0.0
        self.components: tuple[Part, ...] = ()
        self.programs: dict[Part, None] = {}

    def key(self) -> RunKey:
        return RunKey(
            parts=self.parts,
            context=self.context,
            seconds=self.seconds,
            components=self.components,
            programs=tuple(self.programs),
        )


class _GrowingKeys:
    def __init__(self) -> None:
        self.keys: dict[object, _GrowingKey] = {}
        self.folded = 0
