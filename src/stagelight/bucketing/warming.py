"""Compile buckets before their first call, from shapes alone."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stagelight.bucketing.arguments import Layout
from stagelight.bucketing.declaration import RaggedAxes
from stagelight.errors import UsageError
from stagelight.sizes.bounds import bounds
from stagelight.sizes.policies import Policy

LEAST_SIZE = 2


def capacities_to_warm(
    names: tuple[str, ...], policies: Mapping[str, Policy], sizes: Any, buckets: Any
) -> list[tuple[int, ...]]:
    """The buckets that were asked for, each once, in the order asked.

    Raises:
        UsageError: Not exactly one of sizes and buckets is given, or one does not fit.
    """
    if (sizes is None) == (buckets is None):
        message = "warm needs either sizes=[...], the sizes to come, or buckets=[...], the capacities to compile"
        raise UsageError(message)
    asked = _by_name(names, sizes if buckets is None else buckets)
    found = [tuple(policies[name].capacity(max(LEAST_SIZE, one[name])) for name in names) for one in asked]
    if buckets is not None:
        for one, capacities in zip(asked, found, strict=True):
            if tuple(one[name] for name in names) != capacities:
                message = (
                    f"{one} is no bucket of this function; the nearest is {dict(zip(names, capacities, strict=True))}"
                )
                raise UsageError(message)
    return list(dict.fromkeys(found))


def _by_name(names: tuple[str, ...], asked: Any) -> list[dict[str, int]]:
    if isinstance(asked, Mapping):
        _check_names(names, asked)
        choices = [asked[name] if isinstance(asked[name], Iterable) else [asked[name]] for name in names]
        return [dict(zip(names, map(int, chosen), strict=True)) for chosen in itertools.product(*choices)]
    found = []
    for one in asked:
        if isinstance(one, Mapping):
            _check_names(names, one)
            found.append({name: int(one[name]) for name in names})
        elif len(names) == 1:
            found.append({names[0]: int(one)})
        else:
            message = f"warm needs a size for each of {', '.join(map(repr, names))}, and was given {one!r}"
            raise UsageError(message)
    return found


def _check_names(names: tuple[str, ...], given: Mapping[str, Any]) -> None:
    if set(given) != set(names):
        message = f"warm needs a size for each of {', '.join(map(repr, names))}, and was given {sorted(given)}"
        raise UsageError(message)


def padded_specs(layout: Layout, values: Sequence[Any], capacities: Mapping[str, int]) -> list[Any]:
    """The dynamic arguments as shapes, the ragged axes at their capacity."""
    specs = []
    for place in layout.dynamic:
        slot, value = layout.slots[place], values[place]
        leaves, tree = jax.tree.flatten(value)
        axes = slot.axes_of_structure.get(tree, ((),) * len(leaves))
        specs.append(
            jax.tree.unflatten(
                tree, [_spec(leaf, leaf_axes, capacities) for leaf, leaf_axes in zip(leaves, axes, strict=True)]
            )
        )
    return specs


def _spec(leaf: Any, axes: RaggedAxes, capacities: Mapping[str, int]) -> Any:
    if not axes:
        return leaf
    shape = list(leaf.shape)
    ranges = {name: (LEAST_SIZE, capacity) for name, capacity in capacities.items()}
    for axis in axes:
        shape[axis.axis] = bounds(axis.text, ranges)[1]
    is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    dtype = leaf.dtype if is_key else jax.dtypes.canonicalize_dtype(np.dtype(leaf.dtype))
    return jax.ShapeDtypeStruct(tuple(shape), dtype)


def run_all(tasks: Sequence[Callable[[], str]], executor: Any, progress: Callable[[str], None] | None) -> None:
    """Run tasks one after another, or in an executor, and tell of each as it ends."""
    if executor is None:
        results: Iterable[str] = (task() for task in tasks)
    else:
        results = (future.result() for future in [executor.submit(task) for task in tasks])
    for count, text in enumerate(results, 1):
        if progress is not None:
            progress(f"{count}/{len(tasks)} {text}")
