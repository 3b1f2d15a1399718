"""``grad`` and ``vmap`` over pytrees.

Follows ``value_and_grad`` and ``vmap`` in ``jax/_src/api.py``.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stagelight.reference import primitive as p
from stagelight.reference.batching import batch
from stagelight.reference.derivative import pull_back
from stagelight.reference.elementwise import apply_one
from stagelight.reference.staging_error import StagingTypeError, StagingValueError
from stagelight.reference.trace import operand_of


class Transformations:
    """The transformations of one machine."""

    def __init__(self, machine: Any) -> None:
        self._machine = machine

    def value_and_grad(self, function: Callable[..., Any], argnums: int | Sequence[int]) -> Callable[..., Any]:
        """The value, and the gradient with respect to the arguments at ``argnums``."""
        wanted = (argnums,) if isinstance(argnums, int) else tuple(argnums)
        registry = self._machine.registry

        @functools.wraps(function)
        def with_gradient(*args: Any, **kwargs: Any) -> Any:
            with self._machine.active():
                leaves, structure = registry.flatten(tuple(args[i] for i in wanted))
                operands = [operand_of(leaf) for leaf in leaves]
                for operand in operands:
                    if not operand.aval.is_inexact:
                        raise StagingTypeError(
                            "grad requires real- or complex-valued inputs (input dtype that is a sub-dtype of "
                            f"np.inexact), but got {operand.dtype}."
                        )

                def flat(*values: Any) -> list[Any]:
                    given = list(args)
                    for i, value in zip(wanted, structure.rebuild(values), strict=True):
                        given[i] = value
                    return [operand_of(function(*given, **kwargs))]

                (value,), pull = pull_back(flat, operands)
                if value.shape or not value.aval.is_inexact:
                    raise StagingTypeError(
                        f"Gradient only defined for scalar-output functions. Output was: {value.aval}."
                    )
                gradients = structure.rebuild(pull([np.ones((), value.dtype)[()]]))
                return value, gradients[0] if isinstance(argnums, int) else gradients

        return with_gradient

    def vmap(self, function: Callable[..., Any], in_axes: Any, out_axes: int) -> Callable[..., Any]:
        """Map over one axis of each argument whose entry in ``in_axes`` is not None."""
        registry = self._machine.registry

        @functools.wraps(function)
        def mapped(*args: Any) -> Any:
            with self._machine.active():
                axes = in_axes if isinstance(in_axes, list | tuple) else (in_axes,) * len(args)
                if len(axes) != len(args):
                    raise StagingValueError(f"vmap in_axes has {len(axes)} entries for {len(args)} arguments")
                leaves, structure = registry.flatten(args)
                counts = [len(registry.flatten(arg)[0]) for arg in args]
                flat_axes = [axis for axis, count in zip(axes, counts, strict=True) for _ in range(count)]
                operands = [operand_of(leaf) for leaf in leaves]
                size = _common_size(operands, flat_axes)
                wholes = [w if a is None else _moved(w, a, 0) for w, a in zip(operands, flat_axes, strict=True)]
                found: list[Any] = []

                def flat(*values: Any) -> list[Any]:
                    results, out = registry.flatten(function(*structure.rebuild(values)))
                    found.append(out)
                    return results

                results = batch(flat, wholes, size, [axis is not None for axis in flat_axes])
                return found[0].rebuild([_moved(result, 0, out_axes) for result in results])

        return mapped


def _common_size(operands: list[Any], axes: list[Any]) -> int:
    sizes = set()
    for operand, axis in zip(operands, axes, strict=True):
        if axis is None:
            continue
        if not -operand.ndim <= axis < operand.ndim:
            raise StagingValueError(
                f"vmap was requested to map its argument along axis {axis}, which implies that its rank should be at "
                f"least {axis + 1}, but is only {operand.ndim} (its shape is {operand.shape})"
            )
        sizes.add(operand.shape[axis])
    if len(sizes) != 1:
        raise StagingValueError(f"vmap got inconsistent sizes for array axes to be mapped: {sorted(sizes)}")
    return sizes.pop()


def _moved(x: Any, source: int, target: int) -> Any:
    order = [i for i in range(x.ndim) if i != source % x.ndim]
    order.insert(target % x.ndim, source % x.ndim)
    return x if order == list(range(x.ndim)) else apply_one(p.transpose, x, permutation=tuple(order))
