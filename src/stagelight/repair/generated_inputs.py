"""Inputs like an example: the same structure, shapes and dtypes, with values that reach both sides of conditions."""

from collections.abc import Iterator, Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np

SPECIAL = 6
"""The first inputs are the example, its negative, zeros, ones, and the example ten times larger either way."""


def generated_inputs(
    example: Sequence[object], count: int, *, texts: Mapping[int, Sequence[str]] = {}, seed: int = 0
) -> Iterator[tuple[object, ...]]:
    """Arguments like an example.

    Args:
        example: The arguments of one call; the first input is that call.
        count: How many inputs.
        texts: By position, further texts that an argument may be.
        seed: Seed of the generator.
    """
    draw = np.random.default_rng(seed)
    for number in range(count):
        # One by one at first, so that an argument is seen at zero while the others are as given.
        varied = number % max(len(example), 1)
        yield tuple(
            _value(v, _kind(number, i == varied, len(example), draw), draw, texts.get(i, ()))
            for i, v in enumerate(example)
        )


def _kind(number: int, is_varied: bool, count: int, draw: np.random.Generator) -> int:
    if number == 0:
        return 0
    if number <= SPECIAL * count:
        return (number - 1) // count + 1 if is_varied else 0
    return int(draw.integers(0, SPECIAL + 8))


def _value(value: object, kind: int, draw: np.random.Generator, texts: Sequence[str]) -> object:
    if isinstance(value, str):
        choices = list(dict.fromkeys([value, *texts]))
        return choices[kind % len(choices)]
    if isinstance(value, bool | np.bool_):
        return bool(value) if kind == 0 else bool(kind % 2)
    if isinstance(value, int):
        return (value, 0, 1, 2, 3, -value, 5)[kind] if kind <= SPECIAL else int(draw.integers(-3, 8))
    if isinstance(value, float):
        return float(_numbers(np.asarray(value), kind, draw))
    if isinstance(value, dict):
        return {k: _value(v, kind, draw, ()) for k, v in value.items()}
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)(_value(v, kind, draw, ()) for v in value)
    return (
        _array(value, kind, draw) if hasattr(value, "shape") and hasattr(value, "dtype") else _tree(value, kind, draw)
    )


def _tree(value: object, kind: int, draw: np.random.Generator) -> object:
    leaves, structure = jax.tree_util.tree_flatten(value)
    if len(leaves) == 1 and leaves[0] is value:
        return value
    return jax.tree_util.tree_unflatten(structure, [_value(leaf, kind, draw, ()) for leaf in leaves])


def _array(value: object, kind: int, draw: np.random.Generator) -> object:
    if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        return value if kind == 0 else jax.random.key(int(draw.integers(0, 1000)))
    if isinstance(value, jax.ShapeDtypeStruct):
        value, kind = np.zeros(value.shape, value.dtype), max(kind, SPECIAL + 1)
    given = np.asarray(value)
    made = _numbers(given, kind, draw)
    weak = getattr(value, "weak_type", False)
    return jnp.asarray(made.item()) if weak and given.ndim == 0 else jnp.asarray(made)


def _numbers(given: np.ndarray, kind: int, draw: np.random.Generator) -> np.ndarray:
    dtype = given.dtype
    if np.issubdtype(dtype, np.bool_):
        return given if kind == 0 else draw.random(given.shape) < 0.5
    if kind < SPECIAL + 1:
        with np.errstate(all="ignore"):
            made = (given, -given, given * 0, given * 0 + 1, given * 10, given * -10, given * 0 + 0.5)[kind]
        return np.asarray(made).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        return draw.integers(0 if dtype.kind == "u" else -5, 9, given.shape).astype(dtype)
    made = draw.normal(size=given.shape) * 10 ** draw.uniform(-2, 1)
    if np.issubdtype(dtype, np.complexfloating):
        made = made + 1j * draw.normal(size=given.shape)
    return np.asarray(made).astype(dtype)
