"""Explain one function by tracing it once with its source rewritten to report every value."""

from collections.abc import Callable, Mapping, Sequence

import jax

from stagelight.adapters.private_tracing import has_private_cache, private_tracing
from stagelight.adapters.source_map import aval_text, placed_equations
from stagelight.model.explanation import Explanation
from stagelight.staging.call_text import argument_text, call_text
from stagelight.staging.code_swap import swapped_code
from stagelight.staging.function_views import elsewhere, explained_functions
from stagelight.staging.observer import FunctionPlace, Observer
from stagelight.staging.own_sources import own_sources
from stagelight.staging.trace_failure import bound_arguments, trace_failure
from stagelight.staging.trace_target import TraceTarget, jaxpr_of, trace_target
from stagelight.staging.traced_values import tracers

CACHE_NOTE = "this JAX has no setting that keeps an explanation apart: the tracing caches of the process were emptied"
SOURCE_NOTE = "the source on disk is not what was imported: no expression could be observed; import it again"


def explain(
    function: Callable, *, static_argnames: Sequence[str] = (), own: Sequence[str] = ()
) -> Callable[..., Explanation]:
    """Return a function that takes a call's arguments and explains that call.

    The function is traced once, as ``jax.jit`` would, and not run: arguments may be arrays, numbers, pytrees of them,
    or ``jax.ShapeDtypeStruct``. Its source is rewritten for that one trace so that every expression reports its value;
    the jaxpr is the same as without. Nothing that was traced or compiled before is forgotten.

    Args:
        function: A function, jitted or not, a method, or a callable module.
        static_argnames: Parameters to treat as static, where the function is not jitted with its own.
        own: Further packages whose functions count as the user's own and are shown.

    Returns:
        A callable with the signature of ``function`` that returns an
        :class:`~stagelight.model.explanation.Explanation`. A trace that fails is explained too, it raises nothing.

    Raises:
        UsageError: There is no Python function under ``function``.
        SourceNotFoundError: It has no source.

    >>> import jax.numpy as jnp
    >>> def scale(x, factor):
    ...     return x * factor
    >>> explanation = explain(scale)(jnp.ones(3), 2.0)
    >>> explanation.call
    'scale(f32[3], 2.0)'
    """
    target = trace_target(function, static_argnames)

    def explained(*arguments: object, **keywords: object) -> Explanation:
        return _explanation(target, arguments, keywords, tuple(own))

    explained.__name__ = f"explain({target.function.__name__})"
    return explained


def _explanation(
    target: TraceTarget, arguments: Sequence[object], keywords: Mapping[str, object], own: tuple[str, ...]
) -> Explanation:
    observer = Observer(own_sources(target.function, own))
    jaxpr, failure = None, None
    with private_tracing(), swapped_code(observer.sources, observer.value, observer.enter):
        try:
            jaxpr = jaxpr_of(target, arguments, keywords)
        except Exception as error:
            failure = trace_failure(error, observer, target, bound_arguments(target.call, arguments, keywords))
    code = target.function.__code__
    entry = FunctionPlace(code.co_filename, code.co_qualname, code.co_firstlineno)
    equations = list(placed_equations(jaxpr)) if jaxpr is not None else []
    return Explanation(
        function=code.co_qualname,
        call=call_text(target.function.__name__, arguments, keywords),
        jax_version=jax.__version__,
        functions=explained_functions(observer, entry, equations),
        jaxpr=str(jaxpr) if jaxpr is not None else "",
        constants=_constants(jaxpr),
        static=_static(observer),
        elsewhere=elsewhere(equations, observer),
        failure=failure,
        notes=tuple(_notes(observer, entry, was_traced=jaxpr is not None)),
    )


def _constants(jaxpr: object) -> tuple[tuple[str, int], ...]:
    captured = getattr(jaxpr, "consts", ())
    return tuple((aval_text(jax.typeof(c)), int(getattr(c, "nbytes", 0))) for c in captured)


def _static(observer: Observer) -> tuple[tuple[str, str], ...]:
    """Parameters of the entry that hold no tracer, with their values."""
    view = observer.entry
    if view is None:
        return ()
    code = view.code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    held = {name: view.first_values.get(name) for name in names if name in view.first_values}
    return tuple((name, argument_text(value)) for name, value in held.items() if not tracers(value))


def _notes(observer: Observer, entry: FunctionPlace, *, was_traced: bool) -> list[str]:
    notes = [] if has_private_cache() else [CACHE_NOTE]
    if was_traced and entry not in observer.entered:
        notes.append(SOURCE_NOTE)
    return notes
