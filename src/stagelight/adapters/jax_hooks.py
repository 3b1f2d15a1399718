"""Hear JAX 0.9.2 to 0.12: one private function replaced for traces, one for dispatch, public monitoring for the rest.

Follows ``jax/_src/pjit.py`` (``_trace_for_jit``, ``_run_python_pjit``, ``make_jit``, ``jit_evict_fn``),
``jax/_src/util.py`` (``test_event_listener``, ``register_cache``), ``jax/_src/cache_key.py`` (``_log_cache_key_hash``)
and ``jax/monitoring.py``. The user's function and the jitted object are never wrapped: a cached call stays in C++.
"""

import os
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from stagelight.adapters import context_by_config, context_by_name
from stagelight.adapters.compiled_modules import COMPILE_PARAMETERS, compile_hook
from stagelight.adapters.interception import Interception, Replaced, put_back, rest, take_up_all
from stagelight.adapters.protocol import Listener
from stagelight.adapters.replacements import (
    DISPATCH_PARAMETERS,
    TRACE_PARAMETERS,
    dispatch_hook,
    evict_hook,
    frame_outside,
    key_hook,
    make_jit_hook,
    trace_hook,
)

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
SPANS = {
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}
ANNOUNCEMENTS = "/stagelight/"
PERSISTENT_CACHE = "/jax/compilation_cache/"


class JaxHooks:
    """The hooks of this span of versions; ``capabilities`` says which of them this JAX let in."""

    def __init__(self) -> None:
        self.capabilities: dict[str, str] = {}
        self._interception = Interception(self.capabilities)
        self._undo: list[Any] = []
        self._dispatch: Replaced | None = None
        self._context: Any = None
        self._listening = False

    def context_token(self) -> object:
        """See ``Hooks.context_token``."""
        return self._context.token() if self._context is not None else ()

    def context_settings(self) -> Iterable[tuple[str, Any]]:
        """See ``Hooks.context_settings``."""
        return self._context.settings() if self._context is not None else ()

    def install(self, listener: Listener) -> None:
        """See ``Hooks.install``."""
        self._listening = True
        self._hear_monitoring(listener)
        try:
            from jax._src import cache_key, pjit, util
        except ImportError as error:
            self.capabilities["traces"] = f"off: {error}"
            return
        self._keep_out_of_tracebacks()
        self._context = context_by_name.reader() or context_by_config.reader()
        self.capabilities["trace context"] = "on"
        self._hear_bodies(util, listener)
        replace = self._interception.replace
        replace(pjit, "_trace_for_jit", TRACE_PARAMETERS, trace_hook(listener), "traces")
        hook = dispatch_hook(listener)
        self._dispatch = replace(pjit, "_run_python_pjit", DISPATCH_PARAMETERS, hook, "slow dispatches")
        replace(pjit, "make_jit", ("fun",), make_jit_hook(listener), "where jit was called")
        replace(pjit, "jit_evict_fn", ("self",), evict_hook(listener), "clear_cache of one function")
        self._hear_eviction(pjit)
        replace(cache_key, "_log_cache_key_hash", ("hash_obj", "last_serialized", "hashfn"), key_hook(listener),
                "persistent cache key")  # fmt: skip
        self._hear_clearing(util, listener)
        if listener.keeps_programs():
            self._see_modules(listener)

    def uninstall(self) -> None:
        """See ``Hooks.uninstall``."""
        self._listening = False
        self._interception.restore()
        while self._undo:
            self._undo.pop()()

    def rest(self) -> None:
        """See ``Hooks.rest``."""
        if self._dispatch is not None:
            rest(self._dispatch)

    def go_on(self) -> None:
        """See ``Hooks.go_on``."""
        take_up_all()

    def _hear_monitoring(self, listener: Listener) -> None:
        from jax import monitoring

        def scalar(event: str, value: float, **details: Any) -> None:
            kind = SPANS.get(event)
            if kind is None or not self._listening:
                return
            refusal = None
            try:
                refusal = listener.span_began(kind, str(details.get("fun_name", "")), sys._getframe(1))
            except Exception:
                listener.hook_failed("span_began")
            if refusal is not None:
                raise refusal

        def duration(event: str, seconds: float, **details: Any) -> None:
            if not self._listening:
                return
            try:
                if event in SPANS:
                    listener.span_ended(SPANS[event], seconds)
                elif event.startswith(PERSISTENT_CACHE):
                    listener.cache_told(event.removeprefix(PERSISTENT_CACHE), seconds)
            except Exception:
                listener.hook_failed("span_ended")

        def plain(event: str, **details: Any) -> None:
            if not self._listening:
                return
            try:
                if event.startswith(PERSISTENT_CACHE):
                    listener.cache_told(event.removeprefix(PERSISTENT_CACHE), 1.0)
                elif event.startswith(ANNOUNCEMENTS):
                    listener.announced(event.removeprefix(ANNOUNCEMENTS), details)
            except Exception:
                listener.hook_failed("announced")

        monitoring.register_scalar_listener(scalar)
        monitoring.register_event_duration_secs_listener(duration)
        monitoring.register_event_listener(plain)
        self._undo.append(lambda: _forget_listeners(scalar, duration, plain))
        self.capabilities["lowering and compiles"] = "on"

    def _keep_out_of_tracebacks(self) -> None:
        try:
            from jax._src import source_info_util, traceback_util

            for module in (traceback_util, source_info_util):
                module.register_exclusion(_PACKAGE)
            self.capabilities["kept out of tracebacks"] = "on"
        except Exception as error:
            self.capabilities["kept out of tracebacks"] = f"off: {error}"

    def keep_out_of_locations(self, paths: Iterable[str]) -> None:
        """Leave files that stand below a watched program on the stack out of the source locations of its programs."""
        try:
            from jax._src import source_info_util

            for path in paths:
                source_info_util.register_exclusion(path)
        except Exception as error:
            self.capabilities["kept out of source locations"] = f"off: {error}"

    def _hear_bodies(self, util: ModuleType, listener: Listener) -> None:
        if not (hasattr(util, "test_event_listener") and hasattr(util, "test_event")):
            self.capabilities["whether the body ran"] = "off: this JAX has no jax._src.util.test_event_listener"
            return
        before = util.test_event_listener

        def heard(name: str, *details: Any) -> None:
            refusal = None
            if name == "trace_to_jaxpr":
                try:
                    frame = frame_outside(sys._getframe(1))
                    known = frame.f_locals
                    traced_for = getattr(known.get("debug_info"), "traced_for", "") or ""
                    refusal = listener.body_ran(known.get("fun"), traced_for, frame)
                except Exception:
                    listener.hook_failed("body_ran")
            if refusal is not None:
                raise refusal
            if before is not None:
                before(name, *details)

        util.test_event_listener = heard
        self._undo.append(lambda: put_back(Replaced(util, "test_event_listener", before, heard)))
        self.capabilities["whether the body ran"] = "on"

    def _see_modules(self, listener: Listener) -> None:
        try:
            from jax._src import compiler
        except ImportError as error:
            self.capabilities["compiled programs"] = f"off: {error}"
            return
        hook = compile_hook(listener)
        self._interception.replace(compiler, "compile_or_get_cached", COMPILE_PARAMETERS, hook, "compiled programs")

    def _hear_eviction(self, pjit: ModuleType) -> None:
        """The class of jitted objects took ``jit_evict_fn`` as its method when one was last made: give it ours."""
        try:
            from jax._src.lib import _jax

            jitted = _jax.PjitFunction
            before = jitted.clear_cache
            jitted.clear_cache = ours = pjit.jit_evict_fn
        except Exception as error:
            self.capabilities["clear_cache of one function"] = f"off for functions jitted before: {error}"
            return
        self._undo.append(lambda: put_back(Replaced(jitted, "clear_cache", before, ours)))

    def _hear_clearing(self, util: ModuleType, listener: Listener) -> None:
        register = getattr(util, "register_cache", None)
        if register is None:
            self.capabilities["jax.clear_caches"] = "off: this JAX has no jax._src.util.register_cache"
            return
        self._sentinel = ClearingSentinel(self, listener)  # JAX holds its caches weakly
        register(self._sentinel, "stagelight")
        self.capabilities["jax.clear_caches"] = "on"


class ClearingSentinel:
    """Stands among JAX's caches, to be told when they are cleared. JAX has no way to take it out: it falls silent."""

    def __init__(self, hooks: JaxHooks, listener: Listener):
        self._hooks = hooks
        self._listener = listener

    def cache_clear(self) -> None:
        """Called by ``jax.clear_caches()``."""
        if self._hooks._listening:
            try:
                self._listener.cache_cleared(None, sys._getframe(1))
            except Exception:
                self._listener.hook_failed("cache_cleared")

    def cache_info(self) -> None:
        """Nothing is cached here."""

    def cache_keys(self) -> list[Any]:
        """Nothing is cached here."""
        return []


def _forget_listeners(scalar: Any, duration: Any, plain: Any) -> None:
    from jax import monitoring

    for name, listener in (
        ("unregister_scalar_listener", scalar),
        ("unregister_event_duration_listener", duration),
        ("unregister_event_listener", plain),
    ):
        forget = getattr(monitoring, name, None)
        if forget is not None:
            try:
                forget(listener)
            except Exception:  # somebody cleared all listeners before
                continue
