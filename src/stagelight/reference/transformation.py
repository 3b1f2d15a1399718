"""``vmap`` and ``grad``: traces that apply each primitive to whole batches, or write down how it is transposed.

Follows ``vmap`` and ``value_and_grad`` in ``jax/_src/api.py`` and ``jax/_src/interpreters/batching.py``. JAX
linearizes a program and transposes that (``ad.py``); here each primitive is transposed where it was applied, which
gives the same values. What has no rule of its own is looked into: other primitives, or the programs among its
parameters, are run step by step, as a ``scan`` is. What cannot be is refused by name.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stagelight.reference.jaxpr import Jaxpr
from stagelight.reference.operand import Operand, Tracer
from stagelight.reference.pytree import Registry
from stagelight.reference.staging_error import NotModelledError, require, require_value
from stagelight.reference.trace import Params, Primitive, Trace, bind, evaluate, operand_of, running, stage


class VmapTrace(Trace):
    """Applies each primitive to whole batches; a tracer holds a value, and whether it is a batch or one for all."""

    def __init__(self, size: int) -> None:
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
        return None if tracer.payload[1] else tracer.payload[0].known()

    def process(self, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
        """Apply a primitive to whole batches, or look into it."""
        if not any(tracer.payload[1] for tracer in tracers):
            return [self.lift(result) for result in bind(primitive, *[t.payload[0] for t in tracers], **params)]
        if primitive.batch is None:
            return [self.own(result) for result in primitive.run(*tracers, **params)]
        return primitive.batch(self, primitive, tracers, params)


def batch(function: Callable[..., Any], wholes: Sequence[Any], mapped: Sequence[bool], size: int) -> list[Any]:
    """Run a flat function of single elements on batches with the batch axis in front, and on values for all."""
    trace = VmapTrace(size)
    with running(trace):
        given = zip(map(operand_of, wholes), mapped, strict=True)
        results = function(*[trace.batched(whole) if is_mapped else whole for whole, is_mapped in given])
        return [trace.whole(trace.own(result)) for result in results]


def batched_jaxpr(jaxpr: Jaxpr, size: int) -> Jaxpr:
    """The program of whole batches."""
    avals = [aval._replace(shape=(size, *aval.shape)) for aval in (variable.aval for variable in jaxpr.inputs)]
    return stage(lambda *xs: batch(functools.partial(evaluate, jaxpr), xs, [True] * len(xs), size), avals)


def _moved(x: Any, source: int, target: int) -> Any:
    axes = list(range(x.ndim))
    axes.insert(target % x.ndim, axes.pop(source))
    return x.transpose(axes)


def vmap(registry: Registry, function: Callable[..., Any], in_axes: Any, out_axes: int) -> Callable[..., Any]:
    """Map over one axis of each argument whose entry in ``in_axes`` is not None."""

    @functools.wraps(function)
    def mapped(*args: Any) -> Any:
        axes = in_axes if isinstance(in_axes, list | tuple) else (in_axes,) * len(args)
        require_value(len(axes) == len(args), f"vmap in_axes has {len(axes)} entries for {len(args)} arguments")
        structure, by_argument = registry.flatten(args)[1], zip(axes, args, strict=True)
        pairs = [(operand_of(leaf), axis) for axis, arg in by_argument for leaf in registry.flatten(arg)[0]]
        for x, axis in pairs:
            require_value(axis is None or -x.ndim <= axis < x.ndim, f"vmap over axis {axis} of an array {x.aval}")
        sizes = {x.shape[axis] for x, axis in pairs if axis is not None}
        require_value(len(sizes) == 1, f"vmap got inconsistent sizes for array axes to be mapped: {sorted(sizes)}")
        wholes = [x if axis is None else _moved(x, axis, 0) for x, axis in pairs]
        flat, found = registry.flat(lambda values: function(*structure.rebuild(values)))
        results = batch(flat, wholes, [axis is not None for _, axis in pairs], sizes.pop())
        return found[0].rebuild([_moved(result, 0, out_axes) for result in results])

    return mapped


class GradTrace(Trace):
    """Runs a program and writes down each step; a tracer holds a value, and whether it has a gradient."""

    def __init__(self) -> None:
        self.tape: list[tuple[Primitive, list[Tracer], list[Tracer], Params]] = []

    def lift(self, operand: Operand, *, is_active: bool = False) -> Tracer:
        """A value, with a gradient where it is active and can have one."""
        return Tracer(self, operand.aval, (operand, is_active and operand.dtype.kind == "f"))

    def known(self, tracer: Tracer) -> Any:
        """The value itself, so that Python may branch on it."""
        return tracer.payload[0].known()

    def process(self, primitive: Primitive, tracers: list[Any], params: Params) -> list[Any]:
        """Apply a primitive and write it down."""
        is_active = any(tracer.payload[1] for tracer in tracers)
        if is_active and primitive.pull is None and primitive.run is not None:
            return [self.own(result) for result in primitive.run(*tracers, **params)]
        results = bind(primitive, *[t.payload[0] for t in tracers], **params)
        outputs = [self.lift(result, is_active=is_active) for result in results]
        if any(output.payload[1] for output in outputs):
            require(primitive.pull is not None, f"the derivative of {primitive.name!r}", NotModelledError)
            self.tape.append((primitive, tracers, outputs, params))
        return outputs

    def transposed(self, outputs: list[Any], cotangents: Sequence[Any], inputs: list[Tracer]) -> list[Any]:
        """The cotangents of the inputs, from those of the outputs."""
        known: dict[int, Any] = {}

        def gain(tracers: list[Any], gained: Sequence[Any]) -> None:
            for tracer, cotangent in zip(tracers, gained, strict=False):
                if cotangent is not None and tracer.payload[1]:
                    known[id(tracer)] = known[id(tracer)] + cotangent if id(tracer) in known else cotangent

        def gained_by(tracers: list[Tracer]) -> list[Any]:
            return [known[id(t)] if id(t) in known else Operand.functions.zeros(t.shape, t.dtype) for t in tracers]

        gain(outputs, cotangents)
        for primitive, given, results, params in reversed(self.tape):
            if any(id(result) in known for result in results):
                operands, values = ([t.payload[0] for t in tracers] for tracers in (given, results))
                cotangents = gained_by(results)
                pair = (cotangents, values) if primitive.multiple_results else (cotangents[0], values[0])
                gain(given, primitive.pull(*pair, *operands, **params))
        return gained_by(inputs)


def pull_back(function: Callable[..., Any], operands: Sequence[Any]) -> tuple[list[Any], Callable[..., Any]]:
    """Run a flat function; also give the transpose of its derivative there."""
    trace = GradTrace()
    with running(trace):
        inputs = [trace.lift(operand_of(x), is_active=True) for x in operands]
        outputs = [trace.own(result) for result in function(*inputs)]
    return [t.payload[0] for t in outputs], lambda cotangents: trace.transposed(outputs, cotangents, inputs)


def value_and_grad(registry: Registry, function: Callable[..., Any], argnums: Any) -> Callable[..., Any]:
    """The value, and the gradient with respect to the arguments at ``argnums``."""
    wanted = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    @functools.wraps(function)
    def with_gradient(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = registry.flatten(tuple(args[i] for i in wanted))
        for leaf in leaves:
            require(operand_of(leaf).dtype.kind == "f", f"grad requires real inputs, but got {operand_of(leaf).dtype}.")

        def flat(*values: Any) -> list[Any]:
            changed = dict(zip(wanted, structure.rebuild(values), strict=True))
            return [function(*[changed.get(i, arg) for i, arg in enumerate(args)], **kwargs)]

        (value,), pull = pull_back(flat, leaves)
        require(not value.shape and value.dtype.kind == "f", f"Gradient only defined for scalars. Got {value.aval}.")
        gradients = structure.rebuild(pull([np.ones((), value.dtype)[()]]))
        return value, gradients[0] if isinstance(argnums, int) else gradients

    return with_gradient
