"""What all parts of the recorder share: the writer, the registries, the clock, the state of each thread."""

import itertools
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from stagelight.adapters.protocol import Hooks
from stagelight.adapters.treedef import ONE_LEAF
from stagelight.model.event import (
    Before,
    Compiled,
    ContextSeen,
    Dispatched,
    DispatchEnded,
    Event,
    FunctionSeen,
    StructureSeen,
    Traced,
)
from stagelight.model.ledger import JaxSeen
from stagelight.recorder.bucketed_calls import BUCKETING
from stagelight.recorder.call_site import CallSite, CallSites
from stagelight.recorder.function_registry import FunctionRegistry, Identity
from stagelight.recorder.object_numbers import ObjectNumbers
from stagelight.recorder.ownership import Ownership
from stagelight.recorder.structures import Argument, structure_from_arguments
from stagelight.recorder.value_description import ValueDescriber, shortened
from stagelight.recorder.writer import LedgerWriter

_MOST_CONTEXTS = 512
_MOST_PROBLEMS = 50
_LONGEST_SETTING = 120


class OpenTrace(msgspec.Struct, gc=False):
    """A trace that runs now. Holds the program's function and static values for as long as JAX does anyway."""

    traced: Traced  # as far as it is known before the body runs
    fun: Any
    identity: Identity
    static: dict[str, Any]
    began: float
    child_s: float = 0.0
    ran: bool = False
    effects: list[Any] = msgspec.field(default_factory=list)


class OpenDispatch(msgspec.Struct, gc=False):
    """A call that runs off the fast path now."""

    number: int
    trace: int
    function: int
    key: int
    began: float
    lowered: int = 0
    compiled: int = 0


class OpenSpan(msgspec.Struct, gc=False):
    """A lowering or compile that runs now."""

    kind: str
    module: str
    at_s: float
    began: float
    site: CallSite
    function: int
    trace: int
    dispatch: int
    error_before: int
    told: dict[str, float | str] = msgspec.field(default_factory=dict)


class ThreadState(threading.local):
    """What is open in each thread; threads trace and compile on their own."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Nothing is open in this thread."""
        self.traces: list[OpenTrace] = []
        self.dispatches: list[OpenDispatch] = []
        self.spans: list[OpenSpan] = []
        self.last_parameters = 0
        self.last_trace = 0
        self.failing: Any = None
        self.number = threading.get_ident()
        self.looking = 0


class Book:
    """Writes entries in the order in which they happen, with their definitions before them.

    Args:
        writer: The ledger file.
        ownership: Whose file is whose.
        hooks: Ways to ask JAX for its trace context.
        redact: Keep values out.

    Attributes:
        before: What JAX's caches knew when recording began, by function object, until that object is seen.
    """

    def __init__(self, writer: LedgerWriter, ownership: Ownership, hooks: Hooks, *, redact: bool = False):
        self.writer = writer
        self.ownership = ownership
        self.sites = CallSites(ownership)
        self.hooks = hooks
        self.redact = redact
        self.lock = threading.RLock()
        self.thread = ThreadState()
        self.started = time.perf_counter()
        self.inside_s = 0.0
        self.fast_paths_emptied = 0
        self.problems: list[str] = []
        self.files_run_again: set[str] = set()
        self.readers: list[Callable[[Event | JaxSeen], None]] = []
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.numbers = ObjectNumbers()
        self.describer = ValueDescriber(self.numbers, redact=self.redact)
        self.functions = FunctionRegistry(self.ownership, self.numbers, self.describer)
        self._structures: dict[int, str] = {}
        self._leaf_structures: dict[tuple[str, ...], str] = {}
        self._contexts: dict[Any, str] = {}
        self._latest_context: tuple[Any, Any, str] = (object(), None, "")
        self._unnamed: set[Any] = set()
        self.before: dict[int, list[Traced | Dispatched | DispatchEnded | Compiled]] = {}
        self._counts = {what: itertools.count(1) for what in ("trace", "dispatch", "failure", "context")}

    def begin_in_child(self, writer: LedgerWriter) -> None:
        """After a fork: another file, nothing open, nothing defined; the parent may have held the lock."""
        self.lock = threading.RLock()
        self.thread.forget()
        self.writer = writer
        self.started = time.perf_counter()
        self.inside_s = 0.0
        self._begin_anew()

    def now_s(self) -> float:
        """Seconds since the session began."""
        return time.perf_counter() - self.started

    def next_number(self, what: str) -> int:
        """The next number of a trace, dispatch, failure or context."""
        return next(self._counts[what])

    def write(self, entry: Event | JaxSeen) -> None:
        """Append an entry and tell those who listen."""
        with self.lock:
            self.writer.write(entry)
            for reader in self.readers:
                reader(entry)

    def write_before(self, number: int) -> None:
        """Write what was known of a function object before recording began, at its first event."""
        with self.lock:
            for entry in self.before.pop(number, ()):
                self.write(Before(entry=entry))

    def problem(self, text: str) -> None:
        """Note a failure of our own; none reaches the program."""
        if len(self.problems) < _MOST_PROBLEMS and text not in self.problems:
            self.problems.append(text)

    def site(self, frame: Any) -> CallSite:
        """Call site of a frame."""
        site = self.sites.of(frame)
        if self.thread.looking:
            return msgspec.structs.replace(site, under=(*site.under, BUCKETING))
        return site

    def function(self, fun: Any, static: dict[str, Any] | None = None) -> Identity:
        """Identity of a callable, written when it is new."""
        with self.lock:
            identity = self.functions.identify(fun, static)
            if identity.is_new:
                self.write(FunctionSeen(function=identity.function))
            return identity

    def number_of_jitted(self, jitted: Any) -> int:
        """Number of the function inside a jitted object."""
        fun = getattr(jitted, "_fun", jitted)
        return self.functions.known_number(fun) or self.function(fun).function.number

    def structure(self, arguments: Any, leaf_names: tuple[str, ...]) -> str:
        """Short name of a structure, written when it is new."""
        key = hash(tuple((a.name, a.token) for a in arguments))
        return self._structure(key, lambda: structure_from_arguments(arguments, leaf_names))

    def structure_of_leaves(self, names: tuple[str, ...]) -> str:
        """Short name of the structure of arguments that are one leaf each."""
        known = self._leaf_structures.get(names)
        if known is None:
            arguments = tuple(Argument(n, ONE_LEAF, self.describer) for n in names)
            known = self._leaf_structures[names] = self.structure(arguments, names)
        return known

    def built_structure(self, token: Any, structure: Any) -> str:
        """Short name of a structure that was built elsewhere."""
        return self._structure(hash((token, structure.paths)), lambda: structure)

    def _structure(self, key: int, build: Callable[[], Any]) -> str:
        known = self._structures.get(key)
        if known is None:
            with self.lock:
                known = self._structures.get(key)  # another thread may have been here meanwhile
                if known is None:
                    known = f"s{len(self._structures) + 1}"
                    self.write(StructureSeen(digest=known, structure=build()))
                    self._structures[key] = known  # at last: whoever finds it finds it defined
        return known

    def context(self, mesh: Any = None) -> str:
        """Short name of the trace context, written when it is new."""
        return self.context_of(self.hooks.context_token(), self.hooks.context_settings, mesh)

    def context_of(
        self, token: Any, settings: Callable[[], Iterable[tuple[str, Any]]], mesh: Any = None, *, unnamed: bool = False
    ) -> str:
        """Short name of the trace context that a token of JAX's stands for; settings are asked for when it is new.

        Args:
            token: The context, as one hashable value.
            settings: The same, each setting by name.
            mesh: The mesh around the call.
            unnamed: The settings stand in for names that are known only once the context is the current one.
        """
        latest_token, latest_mesh, latest = self._latest_context
        if mesh is latest_mesh and not self._unnamed and token == latest_token:
            return latest
        try:
            key = (token, mesh)
            known = self._contexts.get(key)
        except TypeError:
            key = known = None
        if known is None or (self._unnamed and not unnamed and key in self._unnamed):
            with self.lock:
                known = self._define_context(key, settings(), mesh, unnamed=unnamed)
        self._latest_context = token, mesh, known
        return known

    def _define_context(self, key: Any, settings: Iterable[tuple[str, Any]], mesh: Any, *, unnamed: bool) -> str:
        texts = [(name, setting_text(value)) for name, value in settings]
        if mesh is not None and not any(n == "abstract_mesh" and t == setting_text(mesh) for n, t in texts):
            texts.append(("mesh", setting_text(mesh)))
        digest = self._contexts.get(key) if key is not None else None
        if digest is None:
            digest = f"c{self.next_number('context')}"
        if key is not None:
            if len(self._contexts) >= _MOST_CONTEXTS:
                self._contexts.clear()
            self._contexts[key] = digest
            (self._unnamed.add if unnamed else self._unnamed.discard)(key)
        self.write(ContextSeen(digest=digest, settings=tuple(texts)))
        return digest


def setting_text(value: Any) -> str:
    """A setting as text. Settings are JAX's own objects: their ``str`` is safe."""
    text = str(value)
    return shortened(text) if len(text) < _LONGEST_SETTING else text[:_LONGEST_SETTING]
