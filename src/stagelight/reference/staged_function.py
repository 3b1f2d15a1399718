"""A staged function: what ``jit`` returns, and the steps of a call of it.

Follows ``cache_miss``, ``_infer_params`` and ``_run_python_pjit`` in ``jax/_src/pjit.py`` and ``trace_to_jaxpr`` in
``jax/_src/interpreters/partial_eval.py``: the fast path, the tracing cache, a trace where neither has the key.
"""

import functools
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from stagelight.model.machine_step import MachineCall, MachineOutcome, MachinePart, MachinePhase, MachineStep
from stagelight.reference.cache_key import Arguments, CacheKey, fast_key, key_of, key_parts, split
from stagelight.reference.jaxpr import Jaxpr
from stagelight.reference.notation import jaxpr_text
from stagelight.reference.operand import Tracer
from stagelight.reference.pytree import LEAF, Structure
from stagelight.reference.staged_call import call_staged
from stagelight.reference.staging_error import NotModelledError
from stagelight.reference.static_argument import StaticArguments
from stagelight.reference.trace import evaluate, operand_of, stage, staging_trace

if TYPE_CHECKING:
    from stagelight.reference.machine import Machine


class Traced(NamedTuple):
    """A trace in the cache."""

    jaxpr: Jaxpr
    structure: Structure


class Caches:
    """The tracing cache and the fast path; both hold functions weakly and find them by equality."""

    def __init__(self) -> None:
        self.traced: WeakKeyDictionary[Any, dict[CacheKey, Traced]] = WeakKeyDictionary()
        self.fast: WeakKeyDictionary[Any, dict[Any, Traced]] = WeakKeyDictionary()

    def clear(self) -> None:
        """Forget everything, as ``jax.clear_caches`` does."""
        self.traced.clear()
        self.fast.clear()

    def forget(self, function: Callable[..., Any]) -> None:
        """Forget one function, as ``f.clear_cache()`` does."""
        self.traced.pop(function, None)
        self.fast.pop(function, None)


class StagedFunction:
    """A function that is traced when its key is new, and run from its jaxpr otherwise."""

    def __init__(
        self, machine: "Machine", function: Callable[..., Any], body: Callable[..., Any], static: StaticArguments
    ):
        functools.update_wrapper(self, function)
        self.machine, self.function, self.body, self.static = machine, function, body, static
        self.trace_count = 0

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Look the call up, trace if need be, and run."""
        with self.machine.active():
            return _Call(self, args, kwargs).run()

    def trace(self, *args: Any, **kwargs: Any) -> Jaxpr:
        """The jaxpr for these arguments, traced if need be; the fast path has no part in it."""
        with self.machine.active():
            return _Call(self, args, kwargs).look_up(can_be_fast=False).jaxpr

    def clear_cache(self) -> None:
        """Forget the traces of this function."""
        self.machine.caches.forget(self.function)


class _Call:
    """One call on its way; keeps the steps it took."""

    def __init__(self, staged: StagedFunction, args: Any, kwargs: dict[str, Any], *, traces: bool = True) -> None:
        self.staged, self.args, self.kwargs, self.traces = staged, args, kwargs, traces
        self.caches = staged.machine.caches
        self.steps: list[MachineStep] = []
        self.outcome: MachineOutcome = "traced"
        self.traced: Traced | None = None
        self.arguments = Arguments((), (), (), (), (False, False))

    def step(self, phase: MachinePhase, says: str, parts: list[MachinePart] | None = None) -> None:
        self.steps.append(MachineStep(phase=phase, says=says, parts=tuple(parts or ())))

    def look_up(self, *, can_be_fast: bool = True) -> Traced:
        """Take the steps from the arguments to a trace."""
        staged = self.staged
        function, registry = staged.function, staged.machine.registry
        arguments = self.arguments = split(function, staged.static, registry, self.args, self.kwargs)
        is_traced = staging_trace() is not None or any(isinstance(leaf, Tracer) for leaf in arguments.leaves)
        can_be_fast = can_be_fast and not is_traced
        key = key_of(function, arguments, can_be_fast=can_be_fast)
        fast = fast_key(arguments, key)
        self.explain(arguments, key)
        known = self.caches.fast.get(function, {}).get(fast) if can_be_fast else None
        if known is not None:
            self.outcome, self.traced = "fast path", known
            return known
        self.traced = self.caches.traced.get(function, {}).get(key)
        if self.traced is None:
            self.traced = self.trace(arguments, key)
            self.caches.traced.setdefault(function, {})[key] = self.traced
        else:
            self.outcome = "hit"
        if can_be_fast:
            self.caches.fast.setdefault(function, {})[fast] = self.traced
        return self.traced

    def explain(self, arguments: Arguments, key: CacheKey) -> None:
        """Nothing to tell in an ordinary call."""

    def trace(self, arguments: Arguments, key: CacheKey) -> Traced:
        staged = self.staged
        if not self.traces:
            return Traced(Jaxpr([], [], [], [], []), LEAF)
        staged.trace_count += 1
        found: list[Structure] = []

        def flat(*leaves: Any) -> list[Any]:
            args, kwargs = arguments.rebuilt(leaves)
            results, structure = staged.machine.registry.flatten(staged.body(*args, **kwargs))
            found.append(structure)
            return results

        name = getattr(staged.function, "__name__", type(staged.function).__name__)
        return Traced(stage(flat, key.avals, name, arguments.paths), found[0])

    def run(self) -> Any:
        jaxpr, structure = self.look_up()
        operands = [operand_of(leaf) for leaf in self.arguments.leaves]
        if staging_trace() is not None or any(isinstance(operand, Tracer) for operand in operands):
            name = getattr(self.staged.function, "__name__", "")
            return structure.rebuild(call_staged(name, jaxpr, operands))
        return structure.rebuild(evaluate(jaxpr, *operands))


class ExplainedCall(_Call):
    """A call that tells its steps."""

    def explain(self, arguments: Arguments, key: CacheKey) -> None:
        """Tell the steps up to the key."""
        machine, function = self.staged.machine, self.staged.function
        entries = [*enumerate(arguments.positional, 1), *arguments.named]
        kinds = [
            MachinePart(name=f"argument {name}", value="dynamic" if isinstance(part, Structure) else "static")
            for name, part in entries
        ]
        self.step("split", "Static arguments stay Python values; dynamic ones become tracers.", kinds)
        trees = [
            MachinePart(name=f"argument {n}", value=repr(part)) for n, part in entries if isinstance(part, Structure)
        ]
        self.step("flatten", "Each dynamic argument is taken apart into leaves and a structure.", trees)
        avals = [MachinePart(name=path, value=str(aval)) for path, aval in zip(arguments.paths, key.avals, strict=True)]
        self.step("abstract", "Of each leaf only the aval is kept: shape, dtype and weak type.", avals)
        parts = key_parts(machine.identity_of(function), arguments, key)
        self.step("key", "The cache key, part by part.", machine.compared(function, parts))

    def record(self) -> MachineCall:
        """Make the call and tell it; an error it raises is told too."""
        name = getattr(self.staged.function, "__qualname__", type(self.staged.function).__name__)
        jaxpr = result = error = ""
        try:
            with self.staged.machine.active():
                value = self.run() if self.traces else self.look_up()
                jaxpr = jaxpr_text(self.traced.jaxpr) if self.traces and self.traced else ""
                result = repr(value) if self.traces else ""
        except NotModelledError as refused:
            self.outcome, error = "refused", str(refused)
        except Exception as raised:
            self.outcome, error = "failed", f"{type(raised).__name__}: {raised}"
        self.tell_outcome(error)
        return MachineCall(
            function=name, outcome=self.outcome, steps=tuple(self.steps), jaxpr=jaxpr, result=result, error=error
        )

    def tell_outcome(self, error: str) -> None:
        """Tell the steps from the key on."""
        found = {
            "fast path": "The fast path has the key.",
            "hit": "The tracing cache has the key; the fast path has not.",
        }
        self.step("look up", found.get(self.outcome, "No cache has the key."))
        if self.outcome in found:
            self.step("hit", "The Python function does not run; its jaxpr is used again.")
        else:
            self.step("trace", error or "The Python function runs with tracers and leaves a jaxpr.")
        if self.traces and not error:
            self.step("run", "The jaxpr is evaluated on the values.")
