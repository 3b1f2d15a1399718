"""A staged function: what ``jit`` returns, and a call of it.

Follows ``cache_miss``, ``_infer_params`` and ``_run_python_pjit`` in ``jax/_src/pjit.py`` and ``trace_to_jaxpr`` in
``jax/_src/interpreters/partial_eval.py``: the fast path, the tracing cache, a trace where neither has the key.
"""

import functools
import types
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from stagelight.model.machine_step import MachineOutcome
from stagelight.reference.cache_key import Arguments, CacheKey, fast_key, key_of, split
from stagelight.reference.jaxpr import Jaxpr
from stagelight.reference.operand import Tracer
from stagelight.reference.pytree import LEAF, Structure
from stagelight.reference.static_argument import StaticArguments
from stagelight.reference.trace import call_staged, evaluate, operand_of, stage, staging_trace

if TYPE_CHECKING:
    from stagelight.reference.machine import Machine


type Function = Callable[..., Any]


class Traced(NamedTuple):
    """A trace in the cache."""

    jaxpr: Jaxpr
    structure: Structure


class Caches:
    """The tracing cache, which finds a function by equality, and the fast path, which finds it by identity.

    Both hold functions weakly: when a function dies, its traces go.
    """

    def __init__(self) -> None:
        self.traced: weakref.WeakKeyDictionary[Any, dict[CacheKey, Traced]] = weakref.WeakKeyDictionary()
        self.fast: dict[int, dict[Any, Traced]] = {}

    def fast_of(self, function: Function) -> dict[Any, Traced]:
        """The fast path of one function object."""
        if id(function) not in self.fast:
            weakref.finalize(function, self.fast.pop, id(function), None)
        return self.fast.setdefault(id(function), {})

    def clear(self) -> None:
        """Forget everything, as ``jax.clear_caches`` does."""
        self.traced.clear()
        self.fast.clear()

    def forget(self, function: Function) -> None:
        """Forget one function, as ``f.clear_cache()`` does; an equal one keeps its fast path."""
        self.traced.pop(function, None)
        self.fast_of(function).clear()


class StagedFunction:
    """A function that is traced when its key is new, and run from its jaxpr otherwise."""

    def __init__(self, machine: "Machine", function: Function, static: StaticArguments) -> None:
        functools.update_wrapper(self, function)
        self.machine, self.function, self.static = machine, function, static
        self.name = getattr(function, "__name__", type(function).__name__)
        self.trace_count = 0

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Look the call up, trace if need be, and run."""
        with self.machine.active():
            return Call(self, args, kwargs).run()

    def trace(self, *args: Any, **kwargs: Any) -> Jaxpr:
        """The jaxpr for these arguments, traced if need be; the fast path has no part in it."""
        with self.machine.active():
            return Call(self, args, kwargs).look_up(is_run=False).jaxpr

    def clear_cache(self) -> None:
        """Forget the traces of this function."""
        self.machine.caches.forget(self.function)


class Call:
    """One call on its way, with what it has come to so far."""

    arguments: Arguments | None = None
    key: CacheKey | None = None
    traced: Traced | None = None
    outcome: MachineOutcome = "traced"

    def __init__(self, staged: StagedFunction, args: Any, kwargs: dict[str, Any]) -> None:
        self.staged, self.args, self.kwargs = staged, args, kwargs

    def look_up(self, *, is_run: bool = True, traces: bool = True) -> Traced:
        """Take the steps from the arguments to a trace."""
        function, static, machine = self.staged.function, self.staged.static, self.staged.machine
        arguments = self.arguments = split(function, static, machine.registry, self.args, self.kwargs)
        is_plain = is_run and not any(isinstance(leaf, Tracer) for leaf in arguments.leaves)
        key = self.key = key_of(function, static, arguments, is_plain)
        fast = machine.caches.fast_of(function) if is_plain and staging_trace() is None else None
        quick = fast_key(arguments, key)
        if fast is not None and quick in fast:
            self.outcome, self.traced = "fast path", fast[quick]
            return self.traced
        self.traced = machine.caches.traced.get(function, {}).get(key)
        self.outcome = "traced" if self.traced is None else "hit"
        if self.traced is None:
            self.traced = self._trace(arguments, key) if traces else Traced(Jaxpr([], [], [], [], []), LEAF)
            machine.caches.traced.setdefault(function, {})[key] = self.traced
        if fast is not None:
            fast[quick] = self.traced
        return self.traced

    def _trace(self, arguments: Arguments, key: CacheKey) -> Traced:
        staged = self.staged
        staged.trace_count += 1

        def call(leaves: Any) -> Any:
            args, kwargs = arguments.rebuilt(leaves)
            return staged.function(*args, **kwargs)

        flat, found = staged.machine.registry.flat(call)
        return Traced(stage(flat, key.avals, staged.name, arguments.paths), found[0])

    def run(self) -> Any:
        """Look the call up, and run its jaxpr."""
        jaxpr, structure = self.look_up()
        operands = [operand_of(leaf) for leaf in self.arguments.leaves] if self.arguments else []
        if staging_trace() is not None or any(isinstance(operand, Tracer) for operand in operands):
            return structure.rebuild(call_staged(self.staged.name, jaxpr, operands))
        return structure.rebuild(evaluate(jaxpr, *operands))
