"""Primitives that make an array from a shape alone."""

import jax.numpy as jnp
from jax import lax

from stagelight.bucketing.padded_value import PaddedValue, zero
from stagelight.bucketing.padding_context import PaddingContext


def empty(context: PaddingContext, *_: PaddedValue) -> PaddedValue:
    """Zeros, which is what JAX's ``empty`` gives."""
    aval = context.equation.outvars[0].aval
    return context.result(jnp.zeros(context.capacities(aval.shape), aval.dtype), constant=zero(aval.dtype))


def iota(context: PaddingContext) -> PaddedValue:
    """Indices, which go on through the padding."""
    aval = context.equation.outvars[0].aval
    dimension = context.equation.params["dimension"]
    return context.result(lax.broadcasted_iota(aval.dtype, context.capacities(aval.shape), dimension))


def size_as_value(context: PaddingContext) -> PaddedValue:
    """A dimension used as a number is its true size."""
    dtype = context.equation.outvars[0].aval.dtype
    return context.result(jnp.asarray(context.size(context.equation.params["dim"]), dtype))


RULES = {"empty": empty, "iota": iota, "dim_as_value": size_as_value}
