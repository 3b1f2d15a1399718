"""Entries for what was traced and compiled before recording began, as far as JAX's caches still know it.

They are for those who reason about this process while it runs, and for a session that begins late, which writes them
as ``Before``, apart from what it saw. Not known are functions whose objects are dead, and what was cleared: a first
trace of such code looks like the first one.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from stagelight.adapters.earlier_keys import (
    EarlierLowering,
    EarlierTrace,
    earlier_lowerings,
    earlier_traces,
    settings_of,
)
from stagelight.model.event import Compiled, Dispatched, DispatchEnded, Event, Traced
from stagelight.model.placement import Placement
from stagelight.model.site import NOWHERE
from stagelight.recorder.placements import sharding_texts
from stagelight.recorder.recording import Recorder


def entries_from_before(recorder: Recorder) -> Iterator[Event]:
    """What JAX's caches say was traced and lowered before now.

    Args:
        recorder: A recorder that listens; definitions are written through its book.
    """
    for earlier in earlier_traces():
        if not getattr(earlier.call.fun, "_apply_primitive", False):  # eager operations tell nothing of the program
            yield _traced(recorder, earlier)
    for lowering in earlier_lowerings():
        known = recorder.traces.known_jaxpr(lowering.jaxpr)
        if known is not None:
            yield from _compiled(recorder, lowering, known)


def note_what_was_before(recorder: Recorder) -> None:
    """Keep in the book what JAX's caches know by function object, until that object is seen.

    What they know of other objects with the same code hangs on when Python collects those; it proves nothing.
    """
    place: list[Any] = []
    for entry in entries_from_before(recorder):
        if isinstance(entry, Traced | Dispatched):
            place = recorder.book.before.setdefault(entry.object, [])
        place.append(entry)


def _traced(recorder: Recorder, earlier: EarlierTrace) -> Traced:
    book, traces = recorder.book, recorder.traces
    opened = traces.described(earlier.call, book.started)
    opened.traced = msgspec.structs.replace(
        opened.traced, at_s=0.0, context=_context(recorder, earlier), call=NOWHERE, user=NOWHERE, under=(), thread=0
    )
    if earlier.jaxpr is not None:
        traces.remember(earlier.jaxpr, opened)
    return opened.traced


def _context(recorder: Recorder, earlier: EarlierTrace) -> str:
    book = recorder.book
    token = book.hooks.context_token()
    if earlier.context == token:
        return book.context(earlier.call.mesh)
    named = settings_of(earlier.context)
    stand_in = (*book.hooks.context_settings(), ("trace context", _apart(token, earlier.context)))
    return book.context_of(earlier.context, lambda: named or stand_in, earlier.call.mesh, unnamed=named is None)


def _apart(now: Any, before: Any) -> str:
    """Where two unnamed contexts differ."""
    if not isinstance(now, tuple) or not isinstance(before, tuple) or len(now) != len(before):
        return "another"
    return ", ".join(f"part {i}: {b}" for i, (a, b) in enumerate(zip(now, before, strict=True)) if a != b)


def _compiled(recorder: Recorder, lowering: EarlierLowering, known: dict[str, Any]) -> Iterator[Event]:
    book = recorder.book
    number = book.next_number("dispatch")
    distinct: dict[Placement, int] = {}
    which = [distinct.setdefault(_placement(s), len(distinct)) for s in lowering.shardings]
    fields = {k: v for k, v in known.items() if k != "trace"}
    yield Dispatched(
        at_s=0.0, dispatch=number, placements=tuple(distinct), placement_of=tuple(which) if len(distinct) > 1 else (),
        **fields,
    )  # fmt: skip
    yield Compiled(at_s=0.0, compile_s=0.0, module="", function=known["function"], dispatch=number)
    yield DispatchEnded(at_s=0.0, dispatch=number, dispatch_s=0.0, lowered=1, compiled=1)


def _placement(sharding: Any) -> Placement:
    """An input without a sharding of its own ran on the default device, uncommitted."""
    if sharding is None:
        import jax

        return Placement(
            "array", "", "single device", False, "", str(jax.config.jax_default_device or jax.devices()[0])
        )
    text, devices = sharding_texts(sharding)
    return Placement("array", "", text, True, "", devices)
