"""Everything that a ledger holds: one entry for each thing that happened.

Definitions (``FunctionSeen``, ``StructureSeen``, ``ContextSeen``) stand before the first event that refers to them.
Times are seconds since the session began (``at_s``) or durations.
"""

import msgspec

from stagelight.model.aval import Aval
from stagelight.model.function import Function
from stagelight.model.placement import Placement
from stagelight.model.site import NOWHERE, Site
from stagelight.model.structure import Structure
from stagelight.model.value import Captured, Value


class FunctionSeen(msgspec.Struct, frozen=True, kw_only=True, tag="function", tag_field="event"):
    """A function is named for the first time."""

    function: Function


class StructureSeen(msgspec.Struct, frozen=True, kw_only=True, tag="structure", tag_field="event"):
    """A pytree structure, with its paths, is named for the first time; ``digest`` stands for it from here on."""

    digest: str
    structure: Structure


class ContextSeen(msgspec.Struct, frozen=True, kw_only=True, tag="context", tag_field="event"):
    """A trace context is named for the first time: each setting that enters the key, by name."""

    digest: str
    settings: tuple[tuple[str, str], ...]


class Failure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a trace or a call raised.

    Attributes:
        slug: The cause, one of the failures of the catalogue.
        error: Name of the exception's type.
        message: JAX's own message, shortened; empty where values are redacted.
        site: The innermost line of the user's own code.
        column: 1-based column where the expression begins; 0 where unknown.
        expression: The exact sub-expression, as written.
        arguments: The arguments that it flows from.
    """

    slug: str
    error: str
    message: str = ""
    site: Site = NOWHERE
    column: int = 0
    expression: str = ""
    arguments: tuple[str, ...] = ()


class Constant(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A captured array that became part of the program."""

    name: str
    aval: Aval
    size_bytes: int


class LineCount(msgspec.Struct, frozen=True, array_like=True):
    """How many times one source line gave the same run of equations while tracing."""

    site: Site
    repetitions: int
    equations: int


class SideEffect(msgspec.Struct, frozen=True, array_like=True):
    """Python that ran while tracing and will not run again: ``print``, logging, time, random numbers."""

    what: str
    site: Site


class Traced(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="traced", tag_field="event"):
    """JAX looked for a jaxpr, did not find the key in the tracing cache of its call, and began to trace.

    Attributes:
        at_s: When it began.
        trace: Number of this trace in its process, from 1.
        parent: The trace that it is nested in, or 0.
        function: Number of the function.
        object: Number of the function object; a new object with the same code has another number.
        earlier_object_alive: Whether the object of the function's previous trace is still alive (null at the first).
        jit: Number of the jit wrapper object, 0 where unknown.
        made_at: Where ``jax.jit`` was called to make it.
        made_times: How often ``jax.jit`` has run at that place.
        captured: What the function object carries with it.
        structure: Digest of the pytree structure.
        avals: One for each leaf, in the order of the structure's paths.
        static: Static arguments by name.
        positional: Number of positional arguments, static ones included.
        keywords: Names of the keyword arguments, sorted.
        context: Digest of the trace context.
        options: Options of the jit that are not the default ones (donation, inline, shardings), by name.
        placements: The distinct placements of the leaves.
        placement_of: For each leaf the index into ``placements``; empty where all share the first.
        under: What surrounds the call: ``vmap``, ``grad``, ``jvp``, ``checkpoint``, ``scan``; and ``eval_shape``,
            ``make_jaxpr``, ``lower``, ``trace`` for an inspection. Innermost first.
        ran: Whether the Python body ran. If not, JAX found the jaxpr in another cache and nothing was traced.
        call: The innermost frame outside JAX that caused it.
        user: The innermost frame of the user's own code.
        trace_s: Duration, nested traces included.
        self_s: Duration without nested traces.
        failed: Whether it raised.
        equations: Number of equations of the jaxpr, inner ones included.
        unrolled: Lines that gave the same equations many times.
        constants: Captured arrays that became part of the program, largest first.
        side_effects: Python side effects that ran in this trace.
        selects: Lines whose ``cond`` became a ``select`` under ``vmap``, so that both branches run.
        rerun_of_cell: Whether the function was redefined by running a notebook cell again.
        thread: Number of the thread.
    """

    at_s: float
    trace: int
    function: int
    parent: int = 0
    object: int = 0
    earlier_object_alive: bool | None = None
    jit: int = 0
    made_at: Site | None = None
    made_times: int = 0
    captured: tuple[Captured, ...] = ()
    structure: str = ""
    avals: tuple[Aval, ...] = ()
    static: tuple[tuple[str, Value], ...] = ()
    positional: int = 0
    keywords: tuple[str, ...] = ()
    context: str = ""
    options: tuple[tuple[str, str], ...] = ()
    placements: tuple[Placement, ...] = ()
    placement_of: tuple[int, ...] = ()
    under: tuple[str, ...] = ()
    ran: bool = True
    call: Site = NOWHERE
    user: Site = NOWHERE
    trace_s: float = 0.0
    self_s: float = 0.0
    failed: bool = False
    equations: int = 0
    unrolled: tuple[LineCount, ...] = ()
    constants: tuple[Constant, ...] = ()
    side_effects: tuple[SideEffect, ...] = ()
    selects: tuple[Site, ...] = ()
    rerun_of_cell: bool = False
    thread: int = 0


class Dispatched(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="dispatched", tag_field="event"):
    """A call left the C++ fast path: written when it begins, before any lowering or compile that it leads to.

    Attributes:
        at_s: When it began.
        dispatch: Number in its process, from 1.
        trace: The ``Traced`` entry whose jaxpr this call just took, whether or not its body ran; it may be that of an
            earlier ``lower``. 0: nothing was looked up.
        function: Number of the function.
        object: Number of the function object.
        jit: Number of the jit wrapper object, 0 where unknown.
        structure: Digest of the pytree structure.
        avals: One for each leaf.
        placements: As in ``Traced``, with layouts.
        placement_of: As in ``Traced``.
        static: Static arguments by name, where known.
        context: Digest of the trace context.
        options: Options of the jit that are not the default ones.
        tracers: Types of the tracers among the arguments.
        effects: Effects of the jaxpr that keep it from the fast path.
        under: As in ``Traced``.
        call: The innermost frame outside JAX.
        user: The innermost frame of the user's own code.
        thread: Number of the thread.
    """

    at_s: float
    dispatch: int
    function: int
    trace: int = 0
    object: int = 0
    jit: int = 0
    structure: str = ""
    avals: tuple[Aval, ...] = ()
    placements: tuple[Placement, ...] = ()
    placement_of: tuple[int, ...] = ()
    static: tuple[tuple[str, Value], ...] = ()
    context: str = ""
    options: tuple[tuple[str, str], ...] = ()
    tracers: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    call: Site = NOWHERE
    user: Site = NOWHERE
    thread: int = 0


class DispatchEnded(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="dispatch-ended", tag_field="event"
):
    """The call that left the fast path returned or raised.

    Attributes:
        at_s: When it ended.
        dispatch: Its number.
        dispatch_s: Duration, lowering and compile included.
        lowered: How many modules were lowered inside.
        compiled: How many modules were compiled inside.
        failed: Whether it raised.
        lost_fast_path: Whether this signature can no longer use the fast path, because of an earlier error.
    """

    at_s: float
    dispatch: int
    dispatch_s: float
    lowered: int = 0
    compiled: int = 0
    failed: bool = False
    lost_fast_path: bool = False


class Lowered(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="lowered", tag_field="event"):
    """A jaxpr was lowered to StableHLO.

    Attributes:
        at_s: When it began.
        lower_s: Duration.
        module: Name of the module (``jit_train_step``).
        function: Number of the function that it belongs to, 0 where unknown.
        dispatch: The dispatch that it happened in, or 0 (ahead of time, or under a transformation).
        trace: The trace that led to it, or 0.
        under: As in ``Traced``; ``lower`` and ``compile`` for ahead-of-time use.
        call: The innermost frame outside JAX.
        user: The innermost frame of the user's own code.
        failed: Whether it raised.
        thread: Number of the thread.
    """

    at_s: float
    lower_s: float
    module: str
    function: int = 0
    dispatch: int = 0
    trace: int = 0
    under: tuple[str, ...] = ()
    call: Site = NOWHERE
    user: Site = NOWHERE
    failed: bool = False
    thread: int = 0


class PersistentCacheUse(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the persistent compilation cache did for one compile.

    Attributes:
        outcome: ``off``, ``hit``, ``miss``, ``miss, written`` or ``not eligible``.
        reason: Why it was not eligible (``compile time below 1.0 s``, ``size below …``), else empty.
        key: The cache key, where known.
        components: Digest of each component of the key by name (program, jaxlib, backend, XLA flags, options, devices).
        retrieval_s: Time to read it from the cache.
        saved_s: Compile time that the cache says it saved.
    """

    outcome: str = "off"
    reason: str = ""
    key: str = ""
    components: tuple[tuple[str, str], ...] = ()
    retrieval_s: float = 0.0
    saved_s: float = 0.0


class Compiled(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="compiled", tag_field="event"):
    """A module was compiled, or loaded from the persistent cache.

    Attributes:
        at_s: When it began.
        compile_s: Duration, cache retrieval included.
        module: Name of the module.
        function: Number of the function that it belongs to, 0 where unknown.
        dispatch: The dispatch that it happened in, or 0.
        trace: The trace that led to it, or 0.
        under: As in ``Lowered``.
        persistent: What the persistent cache did.
        module_digest: Digest of the StableHLO, where known.
        kept_program: Digest of its text, under which it is kept in the folder of programs; else empty.
        call: The innermost frame outside JAX.
        user: The innermost frame of the user's own code.
        failed: Whether it raised.
        thread: Number of the thread.
    """

    at_s: float
    compile_s: float
    module: str
    function: int = 0
    dispatch: int = 0
    trace: int = 0
    under: tuple[str, ...] = ()
    persistent: PersistentCacheUse = PersistentCacheUse()
    module_digest: str = ""
    kept_program: str = ""
    call: Site = NOWHERE
    user: Site = NOWHERE
    failed: bool = False
    thread: int = 0


class CacheCleared(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="cleared", tag_field="event"):
    """``jax.clear_caches()`` (function 0) or ``f.clear_cache()`` ran."""

    at_s: float
    function: int = 0
    call: Site = NOWHERE
    thread: int = 0


class Failed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="failed", tag_field="event"):
    """A trace, a compile or a call raised; one entry for each exception.

    Attributes:
        at_s: When.
        failure: Number of this failure in its process, from 1.
        function: Number of the function that was being traced or called, 0 where none.
        trace: The trace that raised, or 0 (raised before any trace, or in a compile).
        what: Why.
        call: The innermost frame of the user's own code outside the traced function.
        thread: Number of the thread.
    """

    at_s: float
    failure: int
    what: Failure
    function: int = 0
    trace: int = 0
    call: Site = NOWHERE
    thread: int = 0


class NotHandled(msgspec.Struct, frozen=True, kw_only=True, tag="not-handled", tag_field="event"):
    """The program ended with this failure; every other failure was handled by the program."""

    failure: int


class CaptureChanged(msgspec.Struct, frozen=True, kw_only=True, tag="capture-changed", tag_field="event"):
    """A captured value or static object differs from what it was when the function was traced.

    Attributes:
        function: Number of the function.
        name: The captured name, as the user wrote it.
        before: What the compiled program still uses.
        after: What it is now.
    """

    function: int
    name: str
    before: Value
    after: Value


class CallsCounted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="calls", tag_field="event"):
    """Calls of a function since the last such entry, cached ones included (only where calls are counted).

    Attributes:
        function: Number of the function.
        call: From where.
        first_argument: Aval of the first array argument as text, to tell specializations apart; else empty.
        calls: How many.
        last_at_s: When the last of them was.
    """

    function: int
    calls: int
    call: Site = NOWHERE
    first_argument: str = ""
    last_at_s: float = 0.0


class BucketedCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="bucketed", tag_field="event"):
    """A bucketed function was called.

    Attributes:
        at_s: When.
        name: Name of the wrapped function.
        sizes: Size of each dimension by name, where the call ran exactly.
        capacities: The bucket of each dimension by name; empty where the call ran exactly.
    """

    at_s: float
    name: str
    sizes: tuple[tuple[str, int], ...] = ()
    capacities: tuple[tuple[str, int], ...] = ()


class CellRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="cell", tag_field="event"):
    """A notebook cell was run."""

    at_s: float
    execution: int
    file: str = ""
    again: bool = False


class Ended(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="ended", tag_field="event"):
    """The session ended; a ledger without this entry is of a process that was killed or still runs.

    Attributes:
        at_s: When.
        inside_s: Time spent inside Stagelight.
        problems: Stagelight's own failures, as short texts; none reached the program.
        exit_code: The program's exit code, where known.
        aot_calls: Whether executables compiled ahead of time were made (their calls are not seen).
        jit_disabled: Whether ``jax_disable_jit`` was seen on.
    """

    at_s: float
    inside_s: float = 0.0
    problems: tuple[str, ...] = ()
    exit_code: int | None = None
    aot_calls: bool = False
    jit_disabled: bool = False


class Before(msgspec.Struct, frozen=True, kw_only=True, tag="before", tag_field="event"):
    """What JAX's own caches knew of a function before recording began, written before its first event.

    It happened, but nobody saw it: it has no times and no place, and counts nowhere. What comes later is held against
    it, so that a function that was warm is not called new.
    """

    entry: Traced | Dispatched | DispatchEnded | Compiled


type Event = (
    FunctionSeen
    | StructureSeen
    | ContextSeen
    | Traced
    | Dispatched
    | DispatchEnded
    | Lowered
    | Compiled
    | CacheCleared
    | Failed
    | NotHandled
    | CaptureChanged
    | CallsCounted
    | BucketedCall
    | CellRun
    | Before
    | Ended
)
