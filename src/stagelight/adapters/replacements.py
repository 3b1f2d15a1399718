"""What stands in the place of JAX's own functions: each tells the listener, and calls the original.

Follows ``jax/_src/pjit.py`` (``_trace_for_jit``, ``_run_python_pjit``, ``make_jit``, ``jit_evict_fn``) and
``jax/_src/cache_key.py`` (``_log_cache_key_hash``). A failure of the listener reaches ``hook_failed``, never JAX.
"""

import hashlib
import os
import sys
from types import FrameType
from typing import Any

from stagelight.adapters.protocol import DispatchCall, Listener, TraceCall

TRACE_PARAMETERS = ("fun", "ji", "ctx_mesh", "dbg", "avals", "args", "kwargs")
DISPATCH_PARAMETERS = ("p", "args_flat", "fun", "args", "kwargs")
_HOOKS = os.path.dirname(os.path.abspath(__file__)) + os.sep


def frame_outside(frame: FrameType) -> FrameType:
    """The first frame that is none of these hooks': two recordings at once call through each other."""
    while frame.f_back is not None and (
        frame.f_code.co_filename.startswith(_HOOKS) or frame.f_code.co_name == "test_event"
    ):
        frame = frame.f_back
    return frame


def trace_hook(listener: Listener) -> Any:
    """Makes the replacement of ``_trace_for_jit``."""

    def make(original: Any) -> Any:
        thread = listener.thread

        def stagelight_trace(fun: Any, ji: Any, ctx_mesh: Any, dbg: Any, avals: Any, args: Any, kwargs: Any) -> Any:
            depth = len(thread.traces)
            refusal = None
            try:
                refusal = listener.trace_began(_trace_call(fun, ji, ctx_mesh, dbg, avals, args, kwargs))
            except Exception:
                listener.hook_failed("trace_began")
            except BaseException:  # an interrupt while we describe the call
                listener.traces_abandoned(depth)
                raise
            if refusal is not None:
                raise refusal
            try:
                parameters = original(fun, ji, ctx_mesh, dbg, avals, args, kwargs)
            except BaseException as error:
                _tell_end(listener, depth, None, error)
                raise
            _tell_end(listener, depth, parameters, None)
            return parameters

        return stagelight_trace

    return make


def _tell_end(listener: Listener, depth: int, parameters: Any, error: BaseException | None) -> None:
    try:
        if len(listener.thread.traces) > depth:
            listener.trace_ended(parameters, error)
    except Exception:
        listener.hook_failed("trace_ended")
    finally:  # an asynchronous exception inside a hook must not leave this thread nested for ever
        listener.traces_abandoned(depth)


def _trace_call(fun: Any, ji: Any, mesh: Any, dbg: Any, avals: Any, args: Any, kwargs: Any) -> TraceCall:
    frame = frame_outside(sys._getframe(2))
    known = frame.f_locals
    signature, leaves = known.get("arg_signature"), known.get("dynargs")
    trees = getattr(signature, "dynamic_arg_treedefs", None)
    names = tuple(getattr(signature, "dynamic_arg_names", ()))
    leaf_names = tuple(getattr(dbg, "arg_names", None) or ())
    return TraceCall(fun, ji, mesh, tuple(avals), leaf_names, args, kwargs, leaves, trees, names, frame)


def dispatch_hook(listener: Listener) -> Any:
    """Makes the replacement of ``_run_python_pjit``."""

    def make(original: Any) -> Any:
        thread = listener.thread

        def stagelight_dispatch(p: Any, args_flat: Any, fun: Any, args: Any, kwargs: Any) -> Any:
            if thread.traces:  # with other threads about, every operation of a traced function comes through here
                return original(p, args_flat, fun, args, kwargs)
            began = False
            try:
                listener.dispatch_began(_dispatch_call(p, args_flat, fun, args, kwargs))
                began = True
            except Exception:
                listener.hook_failed("dispatch_began")
            error = None
            try:
                return original(p, args_flat, fun, args, kwargs)
            except BaseException as raised:
                error = raised
                raise
            finally:
                if began:
                    try:
                        listener.dispatch_ended(error)
                    except Exception:
                        listener.hook_failed("dispatch_ended")
                error = None

        return stagelight_dispatch

    return make


def _dispatch_call(p: Any, args_flat: Any, fun: Any, args: Any, kwargs: Any) -> DispatchCall:
    consts = len(getattr(p, "consts", ()) or ())
    jaxpr = p.params.get("jaxpr")
    effects = tuple(str(e) for e in getattr(jaxpr, "effects", ()) or ())
    names = tuple(getattr(p, "arg_names", None) or ())
    frame = frame_outside(sys._getframe(2))
    return DispatchCall(fun, p, args_flat[consts:], args, kwargs, tuple(p.in_avals), names, effects, frame)


def make_jit_hook(listener: Listener) -> Any:
    """Makes the replacement of ``make_jit``."""

    def make(original: Any) -> Any:
        def stagelight_make_jit(fun: Any, *args: Any, **options: Any) -> Any:
            try:
                listener.jit_made(fun, sys._getframe(1))
            except Exception:
                listener.hook_failed("jit_made")
            return original(fun, *args, **options)

        return stagelight_make_jit

    return make


def evict_hook(listener: Listener) -> Any:
    """Makes the replacement of ``jit_evict_fn``."""

    def make(original: Any) -> Any:
        def jit_evict_fn(self: Any) -> Any:
            try:
                listener.cache_cleared(getattr(self, "_fun", self), frame_outside(sys._getframe(1)))
            except Exception:
                listener.hook_failed("cache_cleared")
            return original(self)

        return jit_evict_fn

    return make


def key_hook(listener: Listener) -> Any:
    """Makes the replacement of ``_log_cache_key_hash``, which sees each component of a persistent key."""

    def make(original: Any) -> Any:
        def stagelight_key_component(hash_obj: Any, last_serialized: str, hashfn: Any) -> Any:
            try:
                if last_serialized == "computation":  # first component: the running hash is its own
                    digest = hash_obj.copy().hexdigest()
                else:
                    alone = hashlib.sha256()
                    hashfn(alone)
                    digest = alone.hexdigest()
                listener.cache_told("key:" + last_serialized, digest[:16])
            except Exception:
                listener.hook_failed("cache_told")
            return original(hash_obj, last_serialized, hashfn)

        return stagelight_key_component

    return make
