"""What is known about one miss when its causes are looked for: one record for each ledger."""

import msgspec

from stagelight.attribution.difference import NO_DIFFERENCE, Difference
from stagelight.attribution.key import Key
from stagelight.attribution.placement_changes import PlacementChange
from stagelight.model.event import Failure, Traced
from stagelight.model.function import Function
from stagelight.model.site import Site


class Clearing(msgspec.Struct, frozen=True, kw_only=True):
    """A call that emptied caches.

    Attributes:
        what: Which function of JAX it was.
        call: From where.
        order: Which clearing of the process it was, from 1.
    """

    what: str
    call: Site
    order: int = 0


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """The transformations around the call, as text, then and now."""

    before: str
    after: str


class TraceEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about one trace.

    Attributes:
        function: The function.
        traced: The trace itself.
        key: Its key.
        nearest: The nearest earlier key, None where there is none.
        change: Everything in which the two differ and that no transformation explains.
        is_first: Whether no earlier trace of this function succeeded.
        inspection: What only looks at the function (``eval_shape``), or empty.
        surroundings: Other transformations than around the nearest key, where they explain the trace.
        is_repeated: Whether exactly this key was traced before.
        clearing: What emptied the caches since exactly this key was traced, if anything did.
        eviction: Why the entry of exactly this key must be gone, where that can be proved; else empty.
        is_retried: Whether the earlier trace of this key raised.
        earlier_failure: What it raised, where known.
        combination: Names of the parts that vary, where every part of the key was seen and never together.
    """

    function: Function
    traced: Traced
    key: Key
    nearest: Key | None = None
    change: Difference = NO_DIFFERENCE
    is_first: bool = False
    inspection: str = ""
    surroundings: Surroundings | None = None
    is_repeated: bool = False
    clearing: Clearing | None = None
    eviction: str = ""
    is_retried: bool = False
    earlier_failure: Failure | None = None
    combination: tuple[str, ...] = ()


class OptionChange(msgspec.Struct, frozen=True, kw_only=True):
    """One option of the jit that differs."""

    name: str
    before: str
    after: str


class CompileEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about one compile.

    Attributes:
        follows_trace: Whether a trace of the same call led to it.
        is_first: Whether nothing was compiled for this function and these avals before.
        placements: Leaves that are placed otherwise than at the nearest earlier call with these avals.
        options: Options of the jit that differ from it.
        under: Transformations around the call.
        clearing: What emptied the caches since, if anything did.
    """

    follows_trace: bool = False
    is_first: bool = False
    placements: tuple[PlacementChange, ...] = ()
    options: tuple[OptionChange, ...] = ()
    under: tuple[str, ...] = ()
    clearing: Clearing | None = None


class DispatchEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about one call that left the fast path with nothing traced or compiled.

    Attributes:
        found_jaxpr: Whether it looked for a jaxpr and found it in another cache.
        other_wrapper: Whether this jit wrapper had not served these avals before, while another had.
        found_by_equality: Whether it took an earlier jaxpr with a static argument that has a hash of its own: JAX's
            C++ tables go by seven bits of a hash and then by ``==``, so one in 128 such arguments is found by chance.
        hosts: Leaves that were an Array and are a host value now, or the other way.
        tracers: Types of the tracers among the arguments.
        effects: Effects of the jaxpr.
        lost_fast_path: Whether an error took the fast path from this signature.
        was_warmed_up: Whether this is the first call of something that was compiled ahead of time.
        placements: Leaves that are placed otherwise, although nothing was compiled.
    """

    found_jaxpr: bool = False
    other_wrapper: bool = False
    found_by_equality: bool = False
    hosts: tuple[PlacementChange, ...] = ()
    tracers: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    lost_fast_path: bool = False
    was_warmed_up: bool = False
    placements: tuple[PlacementChange, ...] = ()
