"""What the recorder hears, and what it can ask of a JAX it did not import itself."""

from collections.abc import Iterable, Mapping, Sequence
from types import FrameType
from typing import Any, Protocol

import msgspec


class TraceCall(msgspec.Struct, frozen=True, gc=False):
    """JAX is about to trace. Holds the program's own objects: never keep one beyond the hook.

    Attributes:
        fun: The callable that ``jax.jit`` was given.
        jit: The options of that jit (``PjitInfo``).
        mesh: The mesh of the context.
        avals: JAX's abstract values of the leaves.
        leaf_names: Path of each leaf, or empty where JAX gives none.
        args: Positional arguments as the user passed them.
        kwargs: Keyword arguments as the user passed them.
        leaves: The leaves themselves (arrays, scalars, tracers), or ``None`` where they cannot be had without
            flattening once more.
        trees: One treedef for each dynamic argument, positional first, or ``None`` likewise.
        tree_names: Names of the dynamic keyword arguments, in the order of ``trees``.
        frame: The frame that asked for the trace.
    """

    fun: Any
    jit: Any
    mesh: Any
    avals: tuple[Any, ...]
    leaf_names: tuple[str, ...]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    leaves: Any
    trees: Any
    tree_names: tuple[str, ...]
    frame: FrameType


class DispatchCall(msgspec.Struct, frozen=True, gc=False):
    """A call left the C++ fast path. Holds the program's own objects: never keep one beyond the hook.

    Attributes:
        fun: The callable that ``jax.jit`` was given.
        parameters: What JAX knows about the call (``PjitParams``).
        leaves: Flat arguments.
        args: Positional arguments as the user passed them.
        kwargs: Keyword arguments as the user passed them.
        avals: JAX's abstract values of the leaves.
        leaf_names: Path of each leaf.
        effects: Effects of the jaxpr, as texts.
        frame: The frame that dispatched.
    """

    fun: Any
    parameters: Any
    leaves: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    avals: tuple[Any, ...]
    leaf_names: tuple[str, ...]
    effects: tuple[str, ...]
    frame: FrameType


class OpenInThread(Protocol):
    """A ``threading.local``: what it tells is true of the thread that asks.

    Attributes:
        traces: The traces that are open, outermost first.
    """

    traces: Sequence[object]


class Listener(Protocol):
    """What the recorder does when JAX does something.

    A method that raises is a defect of the recorder; the hooks swallow it and report it to ``hook_failed``. To stop JAX
    on purpose, a method returns an exception: the hook raises that, outside any handler of its own.
    """

    def trace_began(self, call: TraceCall) -> BaseException | None:
        """Before the Python function runs with tracers."""

    def trace_ended(self, parameters: Any, error: BaseException | None) -> None:
        """After it; ``parameters`` (``PjitParams``) is ``None`` when it raised."""

    def traces_abandoned(self, depth: int) -> None:
        """An exception passed through: no trace deeper than ``depth`` is open any more."""

    @property
    def thread(self) -> OpenInThread:
        """What is open in each thread, the same object at every time."""
        ...

    def body_ran(self, fun: Any, traced_for: str, frame: FrameType) -> BaseException | None:
        """A Python body is about to run with tracers, for ``jit`` or for a loop or branch."""

    def dispatch_began(self, call: DispatchCall) -> None:
        """A call left the fast path."""

    def dispatch_ended(self, error: BaseException | None) -> None:
        """It returned or raised."""

    def span_began(self, kind: str, module: str, frame: FrameType) -> BaseException | None:
        """Lowering (``lower``) or compilation (``compile``) of a module began."""

    def span_ended(self, kind: str, seconds: float) -> None:
        """It ended; whether it raised shows in ``sys.exception()``."""

    def cache_told(self, name: str, value: float | str) -> None:
        """The persistent cache said something: an event, a duration, or a component of the key with its digest."""

    def keeps_programs(self) -> bool:
        """Whether ``module_seen`` wants to be told."""
        return False

    def module_seen(self, text: str) -> None:
        """A module with this text is compiled, or looked up in the persistent cache, in the span that is open."""

    def announced(self, name: str, details: Mapping[str, Any]) -> None:
        """Stagelight's own functions said something through ``jax.monitoring``."""

    def jit_made(self, fun: Any, frame: FrameType) -> None:
        """``jax.jit(fun)`` ran."""

    def cache_cleared(self, fun: Any, frame: FrameType) -> None:
        """``f.clear_cache()`` ran, or ``jax.clear_caches()`` (``fun`` is ``None``)."""

    def hook_failed(self, where: str) -> None:
        """A method above raised; called inside the handler."""


class Hooks(Protocol):
    """One way to hear a span of JAX versions."""

    capabilities: dict[str, str]

    def install(self, listener: Listener) -> None:
        """Begin to hear. Never raises; what could not be installed is said in ``capabilities``."""

    def uninstall(self) -> None:
        """Leave JAX as it was found."""

    def rest(self) -> None:
        """Hear no dispatch for a while: a trace runs alone, and each of its operations would be one."""

    def go_on(self) -> None:
        """Hear dispatches again."""

    def keep_out_of_locations(self, paths: Iterable[str]) -> None:
        """Leave files that stand below a watched program on the stack out of the source locations of its programs."""

    def context_token(self) -> object:
        """The part of the key beside the arguments, as one hashable value."""

    def context_settings(self) -> Iterable[tuple[str, Any]]:
        """The same, each setting by name."""
