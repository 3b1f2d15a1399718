"""Random bits that equal the unpadded call's: partitionable threefry counts by row-major index.

Follows ``jax/_src/random/prng.py`` (``_threefry_random_bits_partitionable``): an element's bits depend on the key and
on its index alone, so a longer array begins with the shorter one's bits.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp

from stagelight.bucketing.dimensions import has_symbolic
from stagelight.bucketing.layout import row_major_index
from stagelight.bucketing.padded_value import PaddedValue
from stagelight.bucketing.padding_context import PaddingContext


def random_bits(context: PaddingContext, keys: PaddedValue) -> PaddedValue:
    """Bits, or split keys, of a ragged shape for each key."""
    shape = context.equation.params["shape"]
    if not has_symbolic(shape):
        return context.result(*context.bind(keys.array))
    _refuse_other_generators(context, keys)
    if not has_symbolic(shape[1:]):  # a prefix of the padded array's bits
        return context.result(*context.bind(keys.array, shape=context.capacities(shape)))
    if context.equation.primitive.name == "random_split":
        raise context.refusal("it splits into a shape with a ragged axis that is not the first")
    return context.result(_by_index(context, keys, shape))


def each_key(context: PaddingContext, *operands: PaddedValue) -> list[PaddedValue]:
    """Keys one by one: seeds, folded values, wrapped bits; no key meets another."""
    return context.results(context.bind(*(operand.array for operand in operands)))


def _by_index(context: PaddingContext, keys: PaddedValue, shape: tuple[Any, ...]) -> Any:
    total = math.prod(context.capacities(shape))
    if total >= 2**31:
        raise context.refusal("2**31 or more random numbers cannot be indexed")
    (flat,) = context.bind(keys.array, shape=(total,))
    return jnp.take(flat, row_major_index(context, shape), axis=len(keys.shape), mode="clip")


def _refuse_other_generators(context: PaddingContext, keys: PaddedValue) -> None:
    generator = str(jax.random.key_impl(keys.array))
    if "threefry2x32" not in generator or not jax.config.jax_threefry_partitionable:
        raise context.refusal(
            f"a ragged shape needs the generator 'threefry2x32' with jax_threefry_partitionable, not {generator}"
        )


_EACH_KEY = ["random_clone", "random_fold_in", "random_seed", "random_unwrap", "random_wrap"]

RULES = {**dict.fromkeys(_EACH_KEY, each_key), "random_bits": random_bits, "random_split": random_bits}
