"""A staged function: what ``jit`` returns; its static arguments, a call of it, and the cache key of the call.

Follows ``cache_miss``, ``_infer_params`` and ``_run_python_pjit`` in ``jax/_src/pjit.py``: a call is looked up on the
fast path and in the tracing cache, and traced where neither has its key. The key is the function (held weakly), the
arguments as a tree with their static values in place, the avals, and the trace context. Which arguments are static
follows ``infer_argnums_and_argnames`` and ``_validate_argnums`` in ``jax/_src/api_util.py``.
"""

import functools
import inspect
import types
import weakref
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any, NamedTuple

from stagelight.model.machine_step import MachineOutcome
from stagelight.reference.aval import Aval, TraceContext, aval_of, current_context, rule_holds
from stagelight.reference.jaxpr import Jaxpr
from stagelight.reference.operand import Array, Tracer
from stagelight.reference.pytree import LEAF, Registry, StaticValue, Structure, value_text
from stagelight.reference.staging_error import StagingOverflowError, StagingTypeError, require_value
from stagelight.reference.trace import Traced, call_staged, evaluate, operand_of, stage_tree, staging_trace


class StaticArguments(NamedTuple):
    """The positions and the names of the static arguments."""

    numbers: tuple[int, ...]
    names: tuple[str, ...]


class Arguments(NamedTuple):
    """The arguments of a call, taken apart; in one structure, under positions first and then under names in order."""

    structure: Structure
    leaves: list[Any]

    def rebuild(self, leaves: Iterable[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The positional and keyword arguments again, around other leaves."""
        given = self.structure.rebuild(leaves)
        args = [value for label, value in given.items() if isinstance(label, int)]
        return args, {label: value for label, value in given.items() if isinstance(label, str)}

    def entries(self) -> list[tuple[str, bool, str]]:
        """Each argument: its position or its name, whether it is static, and its value or structure, in words."""
        labels = [f"argument {label + 1}" if isinstance(label, int) else label for label in self.structure.meta]
        statics = [part.kind is StaticValue for part in self.structure.children]
        texts = [value_text(p.meta.value) if p.kind is StaticValue else repr(p) for p in self.structure.children]
        return list(zip(labels, statics, texts, strict=True))

    def static_hashes(self) -> tuple[int, ...]:
        """The hashes of the static values."""
        return tuple(hash(part.meta) for part in self.structure.children if part.kind is StaticValue)


class CacheKey(NamedTuple):
    """What must be equal, beside the function, for a trace to be used again."""

    structure: Structure
    avals: tuple[Aval, ...]
    context: TraceContext
    declared: tuple[bool, ...]


def _parameters(function: Any) -> list[inspect.Parameter] | None:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None


def _given(value: Any, single: type) -> tuple[Any, ...] | None:
    return value if value is None else (value,) if isinstance(value, single) else tuple(value)


def resolve(function: Any, given_numbers: Any, given_names: Any) -> StaticArguments:
    """Complete positions from names, or names from positions, by the signature; and check both."""
    numbers, names, parameters = _given(given_numbers, int), _given(given_names, str), _parameters(function)
    if parameters is None:
        return StaticArguments(numbers or (), names or ())
    is_counted = rule_holds("negative-number-counts-parameters")
    both = [(i, q.name) for i, q in enumerate(parameters) if q.kind is q.POSITIONAL_OR_KEYWORD]
    if numbers is None:
        numbers = tuple(i for i, name in both if name in (names or ()))
    elif names is None:
        wanted = {*numbers, *(i + len(parameters) for i in numbers if is_counted)}
        names = tuple(name for i, name in both if i in wanted)
    count = sum(q.kind in (q.POSITIONAL_ONLY, q.POSITIONAL_OR_KEYWORD) for q in parameters)
    is_open, takes_more = (any(q.kind is kind for q in parameters) for kind in (_VARIADIC, _KEYWORDS))
    fits = is_open or all(-count <= i < count for i in numbers)
    require_value(fits, f"static_argnums={numbers}, but the function only accepts {count} positional arguments.")
    known = {q.name for q in parameters if q.kind in (q.POSITIONAL_OR_KEYWORD, q.KEYWORD_ONLY)}
    unknown = {*(names or ())} - known - ({*(names or ())} - {q.name for q in parameters} if takes_more else set())
    require_value(not unknown, f"static_argnames has {unknown}, and the function does not take these arguments.")
    is_wrapped = count and is_counted and not is_open
    return StaticArguments(tuple(i % count for i in numbers) if is_wrapped else numbers, names or ())


_VARIADIC, _KEYWORDS = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


def split(function: Any, static: StaticArguments, registry: Registry, args: Any, kwargs: Any) -> Arguments:
    """Tell static arguments from dynamic ones, and take the dynamic ones apart."""
    wrapped = {*static.names, *(i % len(args) if i < 0 else i for i in static.numbers if args)}
    given = [*enumerate(args), *sorted(kwargs.items(), key=lambda pair: pair[0])]
    labelled = OrderedDict((label, StaticValue(value) if label in wrapped else value) for label, value in given)
    leaves, structure = registry.flatten(labelled)
    parameters = _parameters(function) or []
    names = [q.name for q in parameters if q.kind in (q.POSITIONAL_ONLY, q.POSITIONAL_OR_KEYWORD)]
    rest = next((q.name for q in parameters if q.kind is q.VAR_POSITIONAL), "args")
    names += [f"{rest}[{i}]" for i in range(len(args) - len(names))]
    structure.names = [names[label] if isinstance(label, int) else label for label in labelled]
    return Arguments(structure, leaves)


def key_of(function: Any, static: StaticArguments, arguments: Arguments, is_plain: bool) -> CacheKey:
    """The key. In a call without tracers, static values are hashed before the size of an integer is looked at."""
    declared = () if rule_holds("declarations-are-not-compared") else (bool(static.numbers), bool(static.names))
    avals: list[Aval] = []
    for leaf, path in zip(arguments.leaves, arguments.structure.paths(), strict=True):
        try:
            avals.append(aval_of(leaf))
        except (StagingOverflowError, StagingTypeError) as error:
            if is_plain and isinstance(error, StagingOverflowError):
                arguments.static_hashes()
            raise type(error)(f"{error}. It was passed to {function} at {path}. Is it meant to be static?") from None
    return CacheKey(arguments.structure, tuple(avals), current_context(), declared)


def key_parts(function: str, arguments: Arguments, key: CacheKey) -> dict[str, str]:
    """The key as named texts."""
    entries, avals = arguments.entries(), zip(key.structure.paths(), key.avals, strict=True)
    texts = {f"{'static value' if is_static else 'structure'} of {name}": text for name, is_static, text in entries}
    texts |= {f"aval of {path}": f"{'weak ' * aval.weak_type}{aval}" for path, aval in avals}
    return {"function": function} | texts | {f"context {name}": str(v) for name, v in key.context._asdict().items()}


class Caches:
    """The tracing cache, which finds a function by equality, and the fast path, which finds it by identity.

    Both hold functions weakly: when a function dies, its traces go.
    """

    def __init__(self) -> None:
        self.traced: weakref.WeakKeyDictionary[Any, dict[Any, Traced]] = weakref.WeakKeyDictionary()
        self.fast: dict[int, dict[Any, Traced]] = {}

    def fast_of(self, function: Any) -> dict[Any, Traced]:
        """The fast path of one function object."""
        if id(function) not in self.fast:
            weakref.finalize(function, self.fast.pop, id(function), None)
        return self.fast.setdefault(id(function), {})

    def clear(self) -> None:
        """Forget everything, as ``jax.clear_caches`` does."""
        self.traced.clear()
        self.fast.clear()


class StagedFunction:
    """A function that is traced when its key is new, and run from its jaxpr otherwise."""

    def __init__(self, machine: Any, function: Any, static: StaticArguments) -> None:
        functools.update_wrapper(self, function)
        self.machine, self.function, self.static = machine, function, static
        self.name = getattr(function, "__name__", type(function).__name__)
        self.full_name = getattr(function, "__qualname__", self.name)
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
            return Call(self, args, kwargs).look_up(is_run=False)[0]

    def traced(self, arguments: Arguments, key: CacheKey) -> Traced:
        """Run the function with tracers."""
        self.trace_count += 1
        call = functools.wraps(self.function)(lambda args, kwargs: self.function(*args, **kwargs))
        return stage_tree(self.machine.registry, call, arguments, key.avals, arguments.structure.paths())

    def clear_cache(self) -> None:
        """Forget the traces of this function; an equal one keeps its fast path."""
        self.machine.caches.traced.pop(self.function, None)
        self.machine.caches.fast_of(self.function).clear()


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
        has_fast_path = is_plain and staging_trace() is None
        fast = machine.caches.fast_of(function) if has_fast_path else dict[Any, Traced]()
        # The fast path also tells NumPy's and Python's values from arrays.
        kinds = tuple(isinstance(leaf, Array) and leaf.source is None for leaf in arguments.leaves)
        hashes = arguments.static_hashes()
        slow, quick = (key, hashes if rule_holds("static-hash-is-compared") else ()), (key, kinds, hashes)
        known = machine.caches.traced.get(function, {})
        self.outcome = "fast path" if quick in fast else "hit" if slow in known else "traced"
        self.traced = fast[quick] if quick in fast else known.get(slow)
        if self.traced is None:
            self.traced = self.staged.traced(arguments, key) if traces else (Jaxpr([], [], []), LEAF)
            machine.caches.traced.setdefault(function, {})[slow] = self.traced
        fast[quick] = self.traced
        return self.traced

    def run(self) -> Any:
        """Look the call up, and run its jaxpr."""
        jaxpr, structure = self.look_up()
        operands = [operand_of(leaf) for leaf in self.arguments.leaves] if self.arguments else []
        if staging_trace() is not None or any(isinstance(operand, Tracer) for operand in operands):
            return structure.rebuild(call_staged(self.staged.name, jaxpr, operands))
        return structure.rebuild(evaluate(jaxpr, *operands))
