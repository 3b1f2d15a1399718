"""Warm-up: trace, lower and compile what will be called, from shapes alone, before it is called."""

import concurrent.futures
import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from stagelight.control.application import functions_of
from stagelight.control.call_handover import portable_call, shapes_from_portable
from stagelight.control.call_specification import CallSpecification, specifications_from
from stagelight.control.equinox_arguments import is_equinox_jit, with_arrays
from stagelight.errors import UsageError
from stagelight.model.warm_up import WarmedCall, WarmUp

type Progress = Callable[[int, int], object]


def warm(
    function: Any,
    calls: Any,
    *,
    executor: concurrent.futures.Executor | None = None,
    progress: Progress | None = None,
) -> WarmUp:
    """Compile what will be called, from shapes alone: nothing is allocated, and no function runs.

    Traces and lowerings happen here, in the order given, so that the settings of this thread (x64, mesh, default
    device) count; the executor compiles meanwhile. Calls that lead to the same executable are compiled once. After
    it, a call with the same signature and placement is neither traced, lowered nor compiled. Stopped half-way, it can
    be begun again: what is compiled is found compiled.

    Args:
        function: A jitted function; a dictionary of them by name; or ``"module:factory"``, whose factory returns such a
            dictionary. Only the last can be warmed by an executor of other processes, which fill the persistent cache.
        calls: A list whose items are a tuple of positional arguments, a dictionary of keyword arguments, or
            ``stagelight.call(...)``; for a dictionary of functions a dictionary of such lists. Or a ledger or its path,
            or a lock file's path. In a call, arrays and ``jax.ShapeDtypeStruct`` mean the same: shape, dtype, weak
            type; an array that is committed, and a structure with a sharding, also say where they are.
        executor: Any ``concurrent.futures`` executor; a pool of threads, one for each core, by default.
        progress: Called with how many calls are done, and how many there are.

    Returns:
        What was done for each call; a call that cannot be traced or compiled is in it as ``failed``, with the reason.

    Raises:
        UsageError: ``function`` or ``calls`` is none of these.
        WarmUpError: The factory raises, or the ledger or lock has no call of these functions.

    Example:
        >>> import jax, jax.numpy as jnp, stagelight
        >>> @jax.jit
        ... def double(x):
        ...     return x * 2
        >>> shapes = [(jax.ShapeDtypeStruct((size,), jnp.float32),) for size in (8, 16)]
        >>> [call.outcome for call in stagelight.warm(double, shapes).calls]
        ['compiled', 'compiled']
        >>> small, large = jnp.ones(8), jnp.ones(16)
        >>> with stagelight.no_retrace(first="forbid"):
        ...     _ = double(small), double(large)
    """
    functions = functions_by_name(function)
    specifications = specifications_from(calls, functions)
    began, cpu = time.perf_counter(), time.process_time()
    with _executor(executor) as pool:
        if isinstance(function, str) and is_of_processes(pool):
            done = _in_processes(function, specifications, pool, progress)
        else:
            done = _in_this_process(functions, specifications, pool, progress)
    return WarmUp(calls=tuple(done), wall_s=time.perf_counter() - began, cpu_s=time.process_time() - cpu)


def functions_by_name(function: Any) -> Mapping[str, Any]:
    """The functions to warm by name; one function alone has the empty name.

    Raises:
        UsageError: It is no jitted function, dictionary of them, or ``module:factory``.
    """
    if isinstance(function, str):
        return functions_of(function)
    if isinstance(function, Mapping):
        return function
    if not hasattr(function, "lower"):
        kind = type(function).__name__
        message = f"warm takes what jax.jit returns, a dictionary of that, or 'module:factory'; not {kind}"
        raise UsageError(message)
    return {"": function}


@contextlib.contextmanager
def _executor(given: concurrent.futures.Executor | None) -> Iterator[concurrent.futures.Executor]:
    if given is not None:
        yield given
        return
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1, "stagelight-warm") as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def is_of_processes(executor: concurrent.futures.Executor) -> bool:
    """Whether an executor works in other processes, as far as can be told."""
    return isinstance(executor, concurrent.futures.ProcessPoolExecutor) or not hasattr(executor, "_threads")


def _in_this_process(
    functions: Mapping[str, Any],
    specifications: Iterable[CallSpecification],
    pool: concurrent.futures.Executor,
    progress: Progress | None,
) -> list[WarmedCall]:
    calls = list(specifications)
    seen: set[Any] = set()
    work: list[tuple[CallSpecification, float, Any]] = []
    for call in calls:
        began = time.perf_counter()
        work.append((call, began, _lowered(functions[call.function], call, seen, pool)))
    done = []
    for call, began, result in work:
        done.append(_finished(call, began, result))
        if progress is not None:
            progress(len(done), len(calls))
    return done


def _lowered(function: Any, call: CallSpecification, seen: set[Any], pool: concurrent.futures.Executor) -> Any:
    """A future of the compiled call; or its outcome, where there is nothing to compile."""
    if call.problem:
        return "not rebuilt"
    if call.identity in seen:
        return "same executable"
    try:
        lowered = lowered_call(function, call.args, call.kwargs)
    except Exception as error:
        return error
    seen.add(call.identity)
    return pool.submit(lowered.compile)


def lowered_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Trace and lower a call from shapes."""
    if is_equinox_jit(function):
        args, kwargs = with_arrays((args, kwargs))
    return function.lower(*args, **kwargs)


def _finished(call: CallSpecification, began: float, result: Any) -> WarmedCall:
    if isinstance(result, concurrent.futures.Future):
        error = result.exception()
        result = "compiled" if error is None else error
    seconds = time.perf_counter() - began
    if isinstance(result, str):
        return WarmedCall(
            function=call.shown, arguments=call.text, outcome=result, reason=call.problem, seconds=seconds
        )
    reason = f"{type(result).__name__}: {result}".splitlines()[0]
    return WarmedCall(function=call.shown, arguments=call.text, outcome="failed", reason=reason, seconds=seconds)


def _in_processes(
    application: str,
    specifications: Iterable[CallSpecification],
    pool: concurrent.futures.Executor,
    progress: Progress | None,
) -> list[WarmedCall]:
    calls = list(specifications)
    first: dict[Any, Any] = {}
    work: list[Any] = []
    for call in calls:
        if call.problem or call.identity in first:
            outcome = "not rebuilt" if call.problem else "same executable"
            work.append(WarmedCall(function=call.shown, arguments=call.text, outcome=outcome, reason=call.problem))
            continue
        first[call.identity] = future = pool.submit(warm_in_process, application, portable_call(call))
        work.append((call, future))
    done = []
    for entry in work:
        done.append(entry if isinstance(entry, WarmedCall) else _handed_over(*entry))
        if progress is not None:
            progress(len(done), len(calls))
    return done


def _handed_over(call: CallSpecification, future: concurrent.futures.Future[WarmedCall]) -> WarmedCall:
    """What a process said; where it died or could not be reached, that."""
    error = future.exception()
    return future.result() if error is None else _finished(call, time.perf_counter(), error)


def warm_in_process(application: str, call: CallSpecification) -> WarmedCall:
    """Warm one call in a process of an executor; the compiled program stays in the persistent cache."""
    began = time.perf_counter()
    try:
        args, kwargs = shapes_from_portable(call)
        lowered_call(functions_of(application)[call.function], args, kwargs).compile()
        result: Any = "compiled"
    except Exception as error:
        result = error
    return _finished(call, began, result)
