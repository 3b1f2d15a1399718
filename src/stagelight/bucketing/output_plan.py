"""What to cut from the padded outputs of a program; it rides in their pytree, so it is cached with the executable."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import lax

from stagelight.adapters.symbolic_context import is_tracer
from stagelight.bucketing.padded_value import is_key_dtype
from stagelight.bucketing.symbolic_trace import is_ragged
from stagelight.sizes.expression import INTEGER_FUNCTIONS, parse


class Padded(NamedTuple):
    """A ragged result at its capacity, with its true shape.

    Attributes:
        values: The padded array; what stands beyond the sizes is anything.
        sizes: The true size of every axis.
    """

    values: Any
    sizes: tuple[int, ...]


type Cut = Callable[[Mapping[str, int]], tuple[int, ...]]


class OutputPlan:
    """The structure of a program's results and the true shapes of the ragged ones; equal by value."""

    __slots__ = ("_identity", "cuts", "is_trivial", "tree")

    def __init__(self, shapes: Sequence[tuple[Any, ...]], tree: Any) -> None:
        self.tree = tree
        self.cuts = tuple(_true_shape(shape) if is_ragged(shape) else None for shape in shapes)
        self.is_trivial = not any(self.cuts)
        self._identity = (tuple(tuple(map(str, shape)) for shape in shapes), tree)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OutputPlan) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)


class PaddedOutputs:
    """The flat padded results of a program, with their plan."""

    __slots__ = ("arrays", "plan")

    def __init__(self, arrays: Sequence[Any], plan: OutputPlan) -> None:
        self.arrays = arrays
        self.plan = plan


jax.tree_util.register_pytree_node(
    PaddedOutputs, lambda outputs: (outputs.arrays, outputs.plan), lambda plan, arrays: PaddedOutputs(arrays, plan)
)


def true_results(outputs: PaddedOutputs, sizes: Mapping[str, int], form: str) -> Any:
    """The function's result: ragged arrays cut to their true sizes, the others as they are, on their device."""
    plan = outputs.plan
    if plan.is_trivial:
        return jax.tree.unflatten(plan.tree, outputs.arrays)
    if form == "numpy" or form == "jax":
        _start_copies(outputs)
    results = [
        array if cut is None else _CUT[form](array, cut(sizes))
        for array, cut in zip(outputs.arrays, plan.cuts, strict=True)
    ]
    return jax.tree.unflatten(plan.tree, results)


def in_form(result: Any, plan: OutputPlan, form: str) -> Any:
    """The result of the unpadded function, its ragged arrays as a bucketed call gives them."""
    leaves = jax.tree.leaves(result)
    if plan.is_trivial or form == "jax" or len(leaves) != len(plan.cuts):
        return result
    formed = [
        leaf if cut is None else _CUT[form](leaf, tuple(leaf.shape))
        for leaf, cut in zip(leaves, plan.cuts, strict=True)
    ]
    return jax.tree.unflatten(plan.tree, formed)


def _start_copies(outputs: PaddedOutputs) -> None:
    for array, cut in zip(outputs.arrays, outputs.plan.cuts, strict=True):
        if cut is not None and not is_tracer(array) and not is_key_dtype(array.dtype):
            array.copy_to_host_async()


def _as_numpy(array: Any, shape: tuple[int, ...]) -> Any:
    if is_tracer(array):
        return lax.slice(array, (0,) * len(shape), shape)
    if is_key_dtype(array.dtype):
        words = np.asarray(jax.random.key_data(array))[tuple(map(slice, shape))]
        return jax.random.wrap_key_data(words, impl=jax.random.key_impl(array))
    return np.asarray(array)[tuple(map(slice, shape))]


def _as_jax(array: Any, shape: tuple[int, ...]) -> Any:
    cut = _as_numpy(array, shape)
    return jax.device_put(cut) if isinstance(cut, np.ndarray) else cut


_CUT: Mapping[str, Callable[[Any, tuple[int, ...]], Any]] = {"numpy": _as_numpy, "jax": _as_jax, "padded": Padded}

FORMS = tuple(_CUT)


def _true_shape(shape: tuple[Any, ...]) -> Cut:
    text = ",".join(str(dimension).replace("^", "**") for dimension in shape)
    for dimension in shape:
        parse(str(dimension))  # only sizes are compiled below
    code = compile(f"({text},)", "<true shape>", "eval")
    environment = {"__builtins__": {}, **INTEGER_FUNCTIONS}
    return lambda sizes: eval(code, environment, sizes)
