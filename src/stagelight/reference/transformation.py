"""``vmap`` and ``grad``: traces that apply each primitive to whole batches, or write down how it is transposed.

Follows ``vmap`` and ``value_and_grad`` in ``jax/_src/api.py`` and ``jax/_src/interpreters/batching.py``. JAX
linearizes a program and transposes that (``ad.py``); here each primitive is transposed where it was applied, which
gives the same values. A scan is run step by step under ``grad``. What has no rule is refused by name.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stagelight.reference.aval import Aval
from stagelight.reference.operand import Operand, Tracer
from stagelight.reference.operations.structural import transpose
from stagelight.reference.pytree import Registry
from stagelight.reference.staging_error import StagingTypeError, StagingValueError, refuse
from stagelight.reference.trace import Params, Primitive, Trace, bind, operand_of, running

type Function = Callable[..., Any]


class BatchTrace(Trace):
    """Applies each primitive to whole batches; a tracer holds a value, and whether it is a batch or one for all."""

    label = "VmapTracer"

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def lift(self, operand: Operand) -> Tracer:
        """A value that is the same for all elements."""
        return Tracer(self, operand.aval, (operand, False))

    def batched(self, whole: Any) -> Tracer:
        """A tracer for one element of a batch."""
        return Tracer(self, whole.aval._replace(shape=whole.shape[1:]), (whole, True))

    def whole(self, tracer: Tracer) -> Any:
        """The batch a tracer stands for, repeated where all elements are the same."""
        value, is_batched = tracer.payload
        return value if is_batched else Operand.functions.broadcast_to(value, (self.size, *value.shape))

    def known(self, tracer: Tracer) -> Any:
        """The value where it is the same for all elements."""
        value, is_batched = tracer.payload
        return None if is_batched else value.known()

    def process(self, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
        """Apply a primitive to whole batches."""
        if not any(is_batched for _, is_batched in (t.payload for t in tracers)):
            return [self.lift(result) for result in bind(primitive, *[t.payload[0] for t in tracers], **params)]
        if primitive.batch is None:
            raise refuse(f"{primitive.name!r} under vmap")
        return primitive.batch(self, primitive, tracers, params)


def batch(function: Function, wholes: Sequence[Any], size: int, mapped: Sequence[bool] | None = None) -> list[Any]:
    """Run a flat function of single elements on batches with the batch axis in front."""
    trace = BatchTrace(size)
    with running(trace):
        given = zip(wholes, mapped or [True] * len(wholes), strict=True)
        results = function(*[trace.batched(operand_of(w)) if is_mapped else w for w, is_mapped in given])
        return [trace.whole(trace.own(result)) for result in results]


def _moved(x: Any, source: int, target: int) -> Any:
    order = [i for i in range(x.ndim) if i != source % x.ndim]
    order.insert(target % x.ndim, source % x.ndim)
    return x if order == list(range(x.ndim)) else transpose(x, permutation=tuple(order))


def _require_axis(operand: Any, axis: int) -> int:
    if not -operand.ndim <= axis < operand.ndim:
        says = (
            f"vmap was requested to map its argument along axis {axis}, which implies that its rank should be at least"
        )
        raise StagingValueError(f"{says} {axis + 1}, but is only {operand.ndim} (its shape is {operand.shape})")
    return operand.shape[axis]


def vmap(registry: Registry, function: Function, in_axes: Any, out_axes: int) -> Function:
    """Map over one axis of each argument whose entry in ``in_axes`` is not None."""

    @functools.wraps(function)
    def mapped(*args: Any) -> Any:
        axes = in_axes if isinstance(in_axes, list | tuple) else (in_axes,) * len(args)
        if len(axes) != len(args):
            raise StagingValueError(f"vmap in_axes has {len(axes)} entries for {len(args)} arguments")
        leaves, structure = registry.flatten(args)
        flat_axes = [a for a, arg in zip(axes, args, strict=True) for _ in registry.flatten(arg)[0]]
        pairs = [(operand_of(leaf), axis) for leaf, axis in zip(leaves, flat_axes, strict=True)]
        sizes = {_require_axis(x, axis) for x, axis in pairs if axis is not None}
        if len(sizes) != 1:
            raise StagingValueError(f"vmap got inconsistent sizes for array axes to be mapped: {sorted(sizes)}")
        wholes = [x if axis is None else _moved(x, axis, 0) for x, axis in pairs]
        flat, found = registry.flat(lambda values: function(*structure.rebuild(values)))
        results = batch(flat, wholes, sizes.pop(), [axis is not None for axis in flat_axes])
        return found[0].rebuild([_moved(result, 0, out_axes) for result in results])

    return mapped


class GradientTrace(Trace):
    """Runs a program and writes down how each step is transposed."""

    label = "GradTracer"

    def __init__(self) -> None:
        super().__init__()
        self.tape: list[tuple[list[Tracer], list[Tracer], Function]] = []
        self.active: set[int] = set()

    def lift(self, operand: Operand) -> Tracer:
        """A value without a gradient."""
        return Tracer(self, operand.aval, operand)

    def argument(self, value: Operand) -> Tracer:
        """A tracer with a gradient, where it can have one."""
        tracer = self.lift(value)
        self.active.update([id(tracer)] if value.aval.is_inexact else [])
        return tracer

    def known(self, tracer: Tracer) -> Any:
        """The value itself, so that Python may branch on it."""
        return tracer.payload.known()

    def process(self, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
        """Apply a primitive and write down its transpose."""
        is_active = any(id(t) in self.active for t in tracers)
        if is_active and primitive.pull is None and primitive.run is not None:
            return [self.own(result) for result in primitive.run(tracers, params)]
        operands = [t.payload for t in tracers]
        results = bind(primitive, *operands, **params)
        outputs = [self.argument(r) if is_active else self.lift(r) for r in results]
        if is_active and any(r.aval.is_inexact for r in results):
            pull = primitive.pull
            if pull is None:
                raise refuse(f"the derivative of {primitive.name!r}")
            self.tape.append((tracers, outputs, lambda cotangents: pull(cotangents, results, operands, params)))
        return outputs

    def transpose(self, outputs: list[Any], cotangents: Sequence[Any], inputs: list[Tracer]) -> list[Any]:
        """The cotangents of the inputs, from those of the outputs."""
        known: dict[int, Any] = {}

        def gain(tracers: list[Any], gained: Sequence[Any]) -> None:
            for tracer, cotangent in zip(tracers, gained, strict=False):
                if cotangent is not None and id(tracer) in self.active:
                    known[id(tracer)] = known[id(tracer)] + cotangent if id(tracer) in known else cotangent

        gain(outputs, cotangents)
        for given, results, pull in reversed(self.tape):
            if any(id(result) in known for result in results):
                gain(given, pull([known.get(id(r), zeros_of(r.aval)) for r in results]))
        return [known.get(id(tracer), zeros_of(tracer.aval)) for tracer in inputs]


def zeros_of(aval: Aval) -> Any:
    """Zeros of an aval."""
    return Operand.functions.broadcast_to(np.zeros((), aval.dtype)[()], aval.shape)


def pull_back(function: Function, operands: Sequence[Any]) -> tuple[list[Any], Function]:
    """Run a flat function; also give the transpose of its derivative there."""
    trace = GradientTrace()
    with running(trace):
        inputs = [trace.argument(operand_of(x)) for x in operands]
        outputs = [trace.own(result) for result in function(*inputs)]
    return [t.payload for t in outputs], lambda cotangents: trace.transpose(outputs, cotangents, inputs)


def value_and_grad(registry: Registry, function: Function, argnums: int | Sequence[int]) -> Function:
    """The value, and the gradient with respect to the arguments at ``argnums``."""
    wanted = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    @functools.wraps(function)
    def with_gradient(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = registry.flatten(tuple(args[i] for i in wanted))
        operands = [operand_of(leaf) for leaf in leaves]
        for operand in operands:
            if not operand.aval.is_inexact:
                says = "grad requires real- or complex-valued inputs (input dtype that is a sub-dtype of np.inexact)"
                raise StagingTypeError(f"{says}, but got {operand.dtype}.")

        def flat(*values: Any) -> list[Any]:
            changed = dict(zip(wanted, structure.rebuild(values), strict=True))
            return [function(*[changed.get(i, arg) for i, arg in enumerate(args)], **kwargs)]

        (value,), pull = pull_back(flat, operands)
        if value.shape or not value.aval.is_inexact:
            raise StagingTypeError(f"Gradient only defined for scalar-output functions. Output was: {value.aval}.")
        gradients = structure.rebuild(pull([np.ones((), value.dtype)[()]]))
        return value, gradients[0] if isinstance(argnums, int) else gradients

    return with_gradient
