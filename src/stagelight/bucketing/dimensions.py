"""Symbolic dimensions of a jaxpr, read through their text alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from stagelight.sizes.expression import INTEGER_FUNCTIONS, Functions, parse


def is_symbolic(dimension: Any) -> bool:
    """Whether a dimension is an expression of sizes and not a number."""
    return not isinstance(dimension, (int, np.integer))


def has_symbolic(shape: Sequence[Any]) -> bool:
    """Whether any dimension of a shape is an expression of sizes."""
    return any(is_symbolic(dimension) for dimension in shape)


def symbolic_axes(shape: Sequence[Any]) -> list[int]:
    """The ragged axes of a shape."""
    return [axis for axis, dimension in enumerate(shape) if is_symbolic(dimension)]


def is_equal(one: Any, other: Any) -> bool:
    """Whether two dimensions are the same expression; never asks JAX, whose False may be unproved."""
    return str(one) == str(other)


def run_time_size(dimension: Any, sizes: Mapping[str, Any]) -> Any:
    """The true size of a dimension where each name has a run-time ``int32`` size."""
    return parse(str(dimension)).evaluate(sizes, _RUN_TIME_FUNCTIONS)


def _either(on_integers: Any, on_arrays: Any) -> Any:
    def choose(a: Any, b: Any) -> Any:
        return on_arrays(a, b) if is_symbolic(a) or is_symbolic(b) else on_integers(a, b)

    return choose


_RUN_TIME_FUNCTIONS: Functions = {
    "floordiv": INTEGER_FUNCTIONS["floordiv"],
    "mod": INTEGER_FUNCTIONS["mod"],
    "max": _either(max, jnp.maximum),
    "min": _either(min, jnp.minimum),
}
