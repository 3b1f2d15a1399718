"""Record lowerings and compiles, and what the persistent cache did for each."""

import sys
import time
from types import FrameType
from typing import Any

from stagelight.adapters.jaxpr_owner import jaxpr_being_lowered, source_of_jaxpr
from stagelight.model.event import Compiled, Lowered, PersistentCacheUse
from stagelight.recorder.book import Book, OpenSpan
from stagelight.recorder.trace_recording import TraceRecording

COMPONENTS = {
    "computation": "program", "jax_lib version": "jaxlib", "backend version": "backend", "XLA flags": "XLA flags",
    "compile_options": "compile options", "accelerator_config": "devices", "compression": "compression",
    "custom_hook": "custom hook",
}  # fmt: skip
KEPT_PROGRAM = "kept program"
_MOST_MODULES = 4096


class CompileRecording:
    """Turns spans of lowering and compiling into ``Lowered`` and ``Compiled`` entries.

    Args:
        book: The shared state.
        traces: What is known about jaxprs.
    """

    def __init__(self, book: Book, traces: TraceRecording):
        self._book = book
        self._traces = traces
        self._owner_of_module: dict[str, tuple[int, int]] = {}

    def begin(self, kind: str, module: str, frame: FrameType) -> OpenSpan:
        """Open a span."""
        book, state = self._book, self._book.thread
        began = time.perf_counter()
        function, trace, dispatch = self._owner(kind, module, frame)
        error = sys.exception()
        opened = OpenSpan(kind, module, began - book.started, began, book.site(frame), function, trace, dispatch,
                          id(error) if error is not None else 0)  # fmt: skip
        state.spans.append(opened)
        return opened

    def _owner(self, kind: str, module: str, frame: FrameType) -> tuple[int, int, int]:
        state = self._book.thread
        jaxpr = jaxpr_being_lowered(frame) if kind == "lower" else None
        known = self._traces.known_jaxpr(jaxpr) if jaxpr is not None else None
        dispatch = state.dispatches[-1] if state.dispatches else None
        number = dispatch.number if dispatch else 0
        if known is not None:
            owner = (known["function"], known["trace"])
        elif jaxpr is not None and (dispatch is None or source_of_jaxpr(jaxpr)[1]):
            owner = (self._function_at(jaxpr) or (dispatch.function if dispatch else 0), 0)
        elif dispatch is not None:
            owner = (dispatch.function, dispatch.trace)
        else:
            owner = self._owner_of_module.get(module, (0, 0))
        if kind == "lower":
            if len(self._owner_of_module) >= _MOST_MODULES:
                self._owner_of_module.clear()
            self._owner_of_module[module] = owner
        elif dispatch is not None and module in self._owner_of_module:
            owner = self._owner_of_module[module]
        return (*owner, number)

    def _function_at(self, jaxpr: Any) -> int:
        name, file, line = source_of_jaxpr(jaxpr)
        return self._book.functions.number_at(name, file, line)

    def end(self, kind: str, seconds: float) -> None:
        """Close the innermost span of a kind and write it."""
        state = self._book.thread
        opened = None
        while state.spans:
            opened = state.spans.pop()
            if opened.kind == kind:
                break
            opened = None
        if opened is None:
            return
        error = sys.exception()
        failed = error is not None and id(error) != opened.error_before
        shared = {
            "at_s": opened.at_s, "module": opened.module, "function": opened.function, "dispatch": opened.dispatch,
            "trace": opened.trace, "under": opened.site.under, "call": opened.site.call, "user": opened.site.user,
            "failed": failed, "thread": state.number,
        }  # fmt: skip
        if state.dispatches and not failed:
            if kind == "lower":
                state.dispatches[-1].lowered += 1
            else:
                state.dispatches[-1].compiled += 1
        if kind == "lower":
            self._book.write(Lowered(lower_s=seconds, **shared))
            return
        persistent = persistent_cache_use(opened.told, seconds)
        program = dict(persistent.components).get("program", "")
        kept = str(opened.told.get(KEPT_PROGRAM, ""))
        self._book.write(
            Compiled(compile_s=seconds, persistent=persistent, module_digest=program, kept_program=kept, **shared)
        )

    def cache_told(self, name: str, value: float | str) -> None:
        """Note what the persistent cache said about the compile that runs now."""
        spans = self._book.thread.spans
        if spans:
            spans[-1].told[name] = value


def persistent_cache_use(told: dict[str, float | str], compile_s: float) -> PersistentCacheUse:
    """What the persistent cache did, from what it said.

    JAX says a miss only when it writes an entry (``jax/_src/compiler.py: compile_or_get_cached``), so a request with
    neither a hit nor a miss was not eligible to be written.
    """
    import jax

    folder = getattr(jax.config, "jax_compilation_cache_dir", None)
    components = tuple((COMPONENTS.get(n[4:], n[4:]), str(v)) for n, v in told.items() if n.startswith("key:"))
    if not folder or "compile_requests_use_cache" not in told:
        return PersistentCacheUse(components=components)
    if "cache_hits" in told:
        return PersistentCacheUse(
            outcome="hit",
            components=components,
            retrieval_s=float(told.get("cache_retrieval_time_sec", 0.0)),
            saved_s=float(told.get("compile_time_saved_sec", 0.0)),
        )
    if "cache_misses" in told:
        return PersistentCacheUse(outcome="miss, written", components=components)
    return PersistentCacheUse(outcome="not eligible", reason=_why_not_eligible(compile_s), components=components)


def _why_not_eligible(compile_s: float) -> str:
    import jax

    least_s = getattr(jax.config, "jax_persistent_cache_min_compile_time_secs", 0.0)
    if compile_s < least_s:
        return f"compile time below {least_s:g} s (jax_persistent_cache_min_compile_time_secs)"
    least_bytes = getattr(jax.config, "jax_persistent_cache_min_entry_size_bytes", 0)
    return f"entry smaller than {least_bytes} bytes, or the backend refused (jax_persistent_cache_min_entry_size_bytes)"
