"""One bucket's program: the traced function run on padded arrays, compiled once."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stagelight.adapters.symbolic_context import trace_context
from stagelight.bucketing.announcements import looking, text_of_sizes
from stagelight.bucketing.arguments import Layout
from stagelight.bucketing.declaration import RaggedAxes
from stagelight.bucketing.interpreter import interpret
from stagelight.bucketing.options import Options
from stagelight.bucketing.output_plan import OutputPlan, PaddedOutputs
from stagelight.bucketing.padded_value import PaddedValue, is_key_dtype, zero
from stagelight.bucketing.padding_context import PaddingContext, ProgramNotes
from stagelight.bucketing.symbolic_trace import LeafSpec, SymbolicTrace, is_ragged, trace_symbolically
from stagelight.errors import BucketingRefused
from stagelight.sizes.expression import INTEGER_FUNCTIONS, condition_that_any_is_zero, parse

LEAST_SIZE = 2  # JAX treats axes of length 0 and 1 apart (broadcasting, squeezing), so such sizes run unpadded


class Inconclusive(Exception):
    """The trace failed for sizes that range over a whole bucket; it may succeed for fewer."""

    def __init__(self, reason: BaseException) -> None:
        self.reason = reason


class TraceStore:
    """Symbolic traces of one function, shared by its buckets."""

    def __init__(self) -> None:
        self._kept: dict[Any, SymbolicTrace | Exception] = {}
        self._lock = threading.RLock()
        self.trace_s = 0.0
        self.guards: dict[str, None] = {}

    def trace(
        self,
        key: Any,
        function: Callable[..., Any],
        leaves: Sequence[LeafSpec],
        least: Mapping[str, int],
        greatest: Mapping[str, int],
    ) -> SymbolicTrace:
        """The trace for all sizes, or else the one for this bucket's sizes.

        Raises:
            Inconclusive: Neither could be traced.
        """
        identity = (key, tuple(leaves), trace_context())
        ranges = (tuple(least.items()), tuple(greatest.items()))
        with self._lock:
            general = self._once((identity, None), function, leaves, dict.fromkeys(least, LEAST_SIZE), None)
            if isinstance(general, SymbolicTrace):
                return general
            if isinstance(general, BucketingRefused):
                raise general
            own = self._once((identity, ranges), function, leaves, least, greatest)
        if isinstance(own, SymbolicTrace):
            return own
        raise Inconclusive(own)

    def _once(self, key: Any, function: Any, leaves: Any, least: Any, greatest: Any) -> SymbolicTrace | Exception:
        if key not in self._kept:
            try:
                with looking():
                    trace = trace_symbolically(function, leaves, least, greatest)
                self.trace_s += trace.trace_s
                self.guards.update(dict.fromkeys(trace.guards))
                self._kept[key] = trace
            except Exception as error:  # whatever the user's function raises for a size that is not a number
                self._kept[key] = error
        return self._kept[key]


class Program:
    """A function of run-time sizes and padded arguments, with one executable per signature.

    Attributes:
        layout: The style of call that it is for.
        static: The values of its static arguments.
        bucket: Its bucket as text, such as ``b=16,t=32``.
        bucket_capacities: The padded size of each dimension.
        capacities: The same by name, for the dimensions that it keeps.
        alias: For each dimension name, the name that stands for it; equal sizes may share one.
        least: The least size of each name that it was asked to hold for.
        run: The compiled function of ``(sizes, *arguments)``.
        executables: How many signatures it was traced for.
        refused: Why it cannot be run; None where it can.
        ready: Whether it ran.
        compared_as: The signature whose first call was compared; None where none was.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        layout: Layout,
        static: Sequence[Any],
        capacities: Mapping[str, int],
        alias: Mapping[str, str],
        least: Mapping[str, int],
        store: TraceStore,
        *,
        options: Options,
        in_shardings: Any,
    ) -> None:
        self.layout = layout
        self.static = tuple(static)
        self.alias = alias
        self.bucket_capacities = tuple(capacities.values())
        self.bucket = text_of_sizes(tuple(capacities), self.bucket_capacities)
        self.names = tuple(name for name in alias if alias[name] == name)
        self.capacity_of_name = dict(capacities)
        self.capacity_of_text: dict[str, int] = {}
        self.capacities = {name: capacities[name] for name in self.names}
        self.least = {name: least[name] for name in self.names}
        self.notes = ProgramNotes()
        self.executables = 0
        self.compile_s = 0.0
        self.refused: Exception | None = None
        self.ready = False
        self.warmed = False
        self.compared_as: Any = None
        self.lock = threading.RLock()
        self.ragged_shapes: tuple[tuple[str, ...], ...] = ()
        self._function = function
        self._store = store
        self._trusts_padding = options.padding == "zeros"
        self._masked_loops = options.loops == "capacity"
        self._guards: dict[str, None] = {}
        self._rejecting: Any = None
        self.run = self._compiled(in_shardings)

    def rejects(self, sizes: Mapping[str, int]) -> bool:
        """Whether true sizes contradict what the trace assumed."""
        return self._rejecting is not None and eval(self._rejecting, _GUARD_ENVIRONMENT, sizes)  # type: ignore[arg-type]

    def plan_of(self, values: Sequence[Any]) -> OutputPlan:
        """Which results of these dynamic arguments are ragged, without running or compiling anything.

        Raises:
            Inconclusive: The function cannot be traced with symbolic sizes.
            BucketingRefused: It closes over a traced value, or JAX's equality hook has moved.
        """
        trace = self._trace_of(values, [jax.typeof(leaf) for leaf in jax.tree.leaves(values)])[0]
        return OutputPlan(trace.output_shapes, trace.output_tree)

    def _compiled(self, in_shardings: Any) -> Any:
        run = jax.custom_vjp(self._forward)
        run.defvjp(lambda sizes, *values: (self._forward(sizes, *values), (sizes, values)), self._backward)
        run.stagelight_bucketed = (self._function, self.bucket)  # so that a ledger names the user's function
        donated = tuple(place + 1 for place in self.layout.donated)
        if in_shardings is None:
            return jax.jit(run, donate_argnums=donated)
        return jax.jit(run, donate_argnums=donated, in_shardings=(None, *in_shardings))

    def _forward(self, sizes: Sequence[Any], *values: Any) -> PaddedOutputs:
        leaves = jax.tree.leaves(values)
        trace, specs = self._trace_of(values, leaves)
        self.executables += 1
        self.ragged_shapes = tuple(spec.shape for spec in specs if not all(map(str.isdecimal, spec.shape)))
        self.notes.clear()
        arrays = self._interpreted(trace, sizes, leaves, [self._trusts_padding] * len(leaves))
        return PaddedOutputs(arrays, OutputPlan(trace.output_shapes, trace.output_tree))

    def _backward(self, residuals: Any, cotangents: PaddedOutputs) -> Any:
        """The gradient of the function, traced and masked by itself, so that no mask is ever differentiated."""
        sizes, values = residuals
        leaves, tree = jax.tree.flatten(values)
        moved = [place for place, leaf in enumerate(leaves) if jnp.issubdtype(leaf.dtype, jnp.inexact)]
        given = [n for n, cotangent in enumerate(cotangents.arrays) if jnp.issubdtype(cotangent.dtype, jnp.inexact)]
        value, specs = self._trace_of(values, leaves)
        cotangent_specs = [
            LeafSpec(shape=tuple(map(str, value.output_shapes[n])), dtype=cotangents.arrays[n].dtype, weak_type=False)
            for n in given
        ]
        pullback = _pullback(lambda flat: self._called(jax.tree.unflatten(tree, flat)), len(leaves), moved, given)
        trace = self._traced(("gradient", tuple(given)), tree, pullback, [*specs, *cotangent_specs])
        operands = [*leaves, *(cotangents.arrays[n] for n in given)]
        trusted = [self._trusts_padding] * len(leaves) + [False] * len(given)
        gradients = [np.zeros(np.shape(leaf), jax.dtypes.float0) for leaf in leaves]
        for place, gradient in zip(moved, self._interpreted(trace, sizes, operands, trusted), strict=True):
            gradients[place] = gradient
        return [np.zeros((), jax.dtypes.float0) for _ in sizes], *jax.tree.unflatten(tree, gradients)

    def _trace_of(self, values: Sequence[Any], leaves: Sequence[Any]) -> tuple[SymbolicTrace, list[LeafSpec]]:
        tree = jax.tree.structure(values)
        specs = [_leaf_spec(leaf, axes) for leaf, axes in zip(leaves, self._axes(values), strict=True)]
        return self._traced("value", tree, lambda *flat: self._called(jax.tree.unflatten(tree, flat)), specs), specs

    def _traced(self, kind: Any, tree: Any, function: Any, specs: Sequence[LeafSpec]) -> SymbolicTrace:
        key = (kind, tree, id(self.layout), self.static)
        trace = self._store.trace(key, function, specs, self.least, self.capacities)
        conditions = {name: size for name, size in trace.least.items() if size > LEAST_SIZE}
        self._guards.update(dict.fromkeys([condition_that_any_is_zero((text,)) for text in trace.guards]))
        self._guards.update(dict.fromkeys(f"{name} < {size}" for name, size in conditions.items()))
        self._rejecting = compile(" or ".join(self._guards), "<guards>", "eval") if self._guards else None
        return trace

    def _interpreted(
        self, trace: SymbolicTrace, sizes: Sequence[Any], arrays: Sequence[Any], trusted: Sequence[bool]
    ) -> list[Any]:
        ranges = {name: (min(trace.least[name], capacity), capacity) for name, capacity in self.capacities.items()}

        def run(sizes: Sequence[Any], arrays: Sequence[Any], notes: ProgramNotes) -> list[Any]:
            named = dict(zip(self.names, sizes, strict=True))
            context = PaddingContext(ranges, named, interpret, notes, trace.mask_plan, masked_loops=self._masked_loops)
            operands = [
                PaddedValue(array, shape, _zero_padding(array, shape) if is_trusted else {})
                for array, shape, is_trusted in zip(arrays, trace.input_shapes, trusted, strict=True)
            ]
            return [result.array for result in interpret(context, trace.jaxpr, operands)]

        with trace.mask_plan.lock:
            if trace.mask_plan.is_open:
                with looking():
                    jax.eval_shape(lambda *given: run(*given, ProgramNotes()), sizes, arrays)
                trace.mask_plan.is_open = False
        return run(sizes, arrays, self.notes)

    def _called(self, values: Sequence[Any]) -> Any:
        return self.layout.call(self._function, values, self.static)

    def _axes(self, values: Sequence[Any]) -> list[RaggedAxes]:
        """For each leaf of the dynamic arguments its ragged axes, counted from the front and under their alias."""
        found: list[RaggedAxes] = []
        for place, value in zip(self.layout.dynamic, values, strict=True):
            structure = jax.tree.structure(value)
            known = self.layout.slots[place].axes_of_structure
            found += known.get(structure, ((),) * structure.num_leaves)
        return [_renamed(axes, self.alias) for axes in found]


def _pullback(function: Any, count: int, moved: Sequence[int], given: Sequence[int]) -> Callable[..., Any]:
    """A function of the leaves and the cotangents of the float results that gives the gradients of the float leaves."""

    def pullback(*operands: Any) -> Any:
        leaves, cotangents = list(operands[:count]), list(operands[count:])

        def of_moved(chosen: Sequence[Any]) -> list[Any]:
            replaced = dict(zip(moved, chosen, strict=True))
            results = jax.tree.leaves(function([replaced.get(n, leaf) for n, leaf in enumerate(leaves)]))
            return [results[n] for n in given]

        return jax.vjp(of_moved, [leaves[place] for place in moved])[1](cotangents)[0]

    return pullback


def _leaf_spec(leaf: Any, axes: RaggedAxes) -> LeafSpec:
    shape = [str(size) for size in np.shape(leaf)]
    for axis in axes:
        shape[axis.axis] = axis.text
    return LeafSpec(shape=tuple(shape), dtype=leaf.dtype, weak_type=bool(getattr(leaf, "weak_type", False)))


def _zero_padding(array: Any, shape: tuple[Any, ...]) -> dict[int, Any]:
    if is_key_dtype(array.dtype) or not is_ragged(shape):
        return {}
    return {axis: zero(array.dtype) for axis, size in enumerate(shape) if not isinstance(size, (int, np.integer))}


def _renamed(axes: RaggedAxes, alias: Mapping[str, str]) -> RaggedAxes:
    if all(name == other for name, other in alias.items()):
        return axes
    return tuple(
        type(axis)(axis=axis.axis, text=parse(axis.text).renamed(alias), name=axis.name and alias[axis.name])
        for axis in axes
    )


_GUARD_ENVIRONMENT: dict[str, Any] = {"__builtins__": {}, **INTEGER_FUNCTIONS}
