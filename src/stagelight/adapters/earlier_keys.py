"""What was traced and lowered before anybody watched, read from the keys of JAX's own caches.

Follows ``jax/_src/pjit.py: _infer_params_cached, _pjit_lower`` and ``jaxlib: WeakrefLRUCache.cache_keys``. A key holds
a weak reference to the function (or jaxpr), the trace context, and the arguments of the cached function. Nothing is
called that traces: a cache is asked only for a key that it has just named, in the context that this key was made in.
"""

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import msgspec

from stagelight.adapters.protocol import TraceCall

_TRACE_KEY_PARTS = 4
_LOWER_KEY_PARTS = 10
_FARTHEST = 14
_MOST_REFUSED = 1024
_TOLD_BY_TEXT = (bool, int, float, complex, str, bytes, type(None))

_REFUSED: set[int] = set()


class EarlierTrace(msgspec.Struct, frozen=True, gc=False):
    """One key of the tracing cache. Holds the program's own objects: never keep one.

    Attributes:
        call: As the hook would have told it; the arguments are empty places but for the static ones.
        context: The trace context that it was made in, as JAX's token.
        jaxpr: The result, or ``None`` where it was made in another context than that of now.
    """

    call: TraceCall
    context: Any
    jaxpr: Any


class EarlierLowering(msgspec.Struct, frozen=True, gc=False):
    """One key of the lowering cache. Holds the program's own objects: never keep one.

    Attributes:
        jaxpr: What was lowered.
        context: The trace context, as JAX's token.
        shardings: The sharding of each input that decides where it runs; ``None`` where it does not.
    """

    jaxpr: Any
    context: Any
    shardings: tuple[Any, ...]


def earlier_traces() -> Iterator[EarlierTrace]:
    """The live keys of the tracing cache; none where this JAX keeps them in another form."""
    cache, keys = _keys_of("_infer_params_cached")
    now = _current_context()
    for key in sorted(keys, key=_order):
        try:
            fun, context = key[0](), key[1]
            if fun is None or len(key[2]) != _TRACE_KEY_PARTS or _mark(fun, context, key[2]) in _REFUSED:
                continue
            parameters = cache(fun, *key[2]).pjit_params if context == now else None
            if context == now and parameters is None:
                continue  # it raised, or it is being traced now
            jaxpr = parameters.params["jaxpr"] if parameters is not None else None
            yield EarlierTrace(_call_from_key(fun, *key[2], leaf_names=_leaf_names(jaxpr)), context, jaxpr)
        except Exception:  # another form of key: what is not understood is not known
            continue


def earlier_lowerings() -> Iterator[EarlierLowering]:
    """The live keys of the lowering cache; none where this JAX keeps them in another form."""
    for key in _keys_of("_pjit_lower")[1]:
        try:
            jaxpr, context, arguments = key[0](), key[1], key[2]
            if jaxpr is None or len(arguments) != _LOWER_KEY_PARTS or _mark(jaxpr, 0, arguments[:1]) in _REFUSED:
                continue
            shardings = tuple(None if type(s).__name__ == "UnspecifiedValue" else s for s in arguments[0])
            yield EarlierLowering(jaxpr, context, shardings)
        except Exception:
            continue


def remember_refused_trace(fun: Any) -> None:
    """A trace of a function is being stopped: JAX keeps the key, although nothing came of it."""
    cache, keys = _keys_of("_infer_params_cached")
    now = _current_context()
    for key in keys:
        try:
            if key[0]() is fun and key[1] == now and cache(fun, *key[2]).pjit_params is None:
                _remember(_mark(fun, now, key[2]))
        except Exception:
            continue


def remember_refused_lowering(frame: FrameType | None) -> None:
    """A lowering above a frame is being stopped: JAX keeps the key, although nothing came of it."""
    for _ in range(_FARTHEST):
        if frame is None:
            return
        if frame.f_code.co_name == "_pjit_lower":
            known = frame.f_locals
            _remember(_mark(known.get("jaxpr"), 0, (known.get("in_shardings"),)))
            return
        frame = frame.f_back


def _order(key: Any) -> tuple[str, tuple[str, ...]]:
    """JAX's cache has its keys in no order; the same ones are told in the same order each time."""
    try:
        _, signature, avals, _ = key[2]
        static = (repr(v) if type(v) in _TOLD_BY_TEXT else type(v).__qualname__ for v in signature.static_args)
        return str(avals), tuple(static)
    except Exception:
        return "", ()


def _remember(mark: int) -> None:
    if len(_REFUSED) >= _MOST_REFUSED:
        _REFUSED.clear()
    _REFUSED.add(mark)


def _mark(thing: Any, context: Any, arguments: Any) -> int:
    return hash((id(thing), context, arguments))


def _keys_of(name: str) -> tuple[Any, list[Any]]:
    try:
        from jax._src import pjit

        cache = getattr(pjit, name)
        return cache, list(cache.cache_keys())
    except Exception:
        return None, []


def _current_context() -> Any:
    try:
        from jax._src.config import trace_context

        return trace_context()
    except Exception:
        return None


def _call_from_key(
    fun: Any, jit: Any, signature: Any, avals: Any, mesh: Any, *, leaf_names: tuple[str, ...]
) -> TraceCall:
    """The call of a key: its static arguments stand where the user put them, the others are empty places."""
    trees, names = tuple(signature.dynamic_arg_treedefs), tuple(signature.dynamic_arg_names)
    static, static_names = list(signature.static_args), tuple(signature.static_arg_names)
    by_position = static[: len(static) - len(static_names)]
    by_name = dict(zip(static_names, static[len(by_position) :], strict=True))
    positional = len(trees) - len(names) + len(by_position)
    numbers = {n + positional if n < 0 else n for n in jit.static_argnums or ()}
    rest = iter(by_position)
    args = tuple(next(rest) if i in numbers else None for i in range(positional))
    kwargs = {**dict.fromkeys(names), **by_name}
    return TraceCall(fun, jit, mesh, tuple(avals), leaf_names, args, kwargs, None, trees, names, sys._getframe())


def _leaf_names(jaxpr: Any) -> tuple[str, ...]:
    """Paths of the leaves as the jaxpr remembers them; what was captured stands before the arguments."""
    debug = getattr(jaxpr, "debug_info", None) or getattr(getattr(jaxpr, "jaxpr", None), "debug_info", None)
    return tuple(getattr(debug, "arg_names", None) or ())


def settings_of(context: Any) -> tuple[tuple[str, Any], ...] | None:
    """A trace context by name, or ``None`` where this JAX does not name its parts (``trace_context_names``)."""
    try:
        from jax._src.config import trace_context_names

        return tuple(zip(trace_context_names(), context, strict=True))
    except Exception:
        return None
