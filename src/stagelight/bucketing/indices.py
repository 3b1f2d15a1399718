"""Run-time indices into ragged axes."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from stagelight.bucketing.dimensions import is_symbolic
from stagelight.bucketing.padding_context import PaddingContext


def as_index(index: Any) -> Any:
    """An index in ``int32`` (or ``int64``), so that comparing it with a size cannot wrap around.

    Unsigned indices beyond the signed range become its greatest value, which is out of every bound all the same.
    """
    dtype = np.dtype(index.dtype)
    signed = np.dtype(np.int64 if dtype.itemsize == 8 else np.int32)
    if dtype.kind == "u" and dtype.itemsize >= 4:
        index = lax.min(index, jnp.asarray(np.iinfo(signed).max, dtype))
    return lax.convert_element_type(index, signed)


def greatest_start(context: PaddingContext, whole: Any, part: Any, dtype: Any) -> Any:
    """The last offset at which a window of one size fits into another."""
    return jnp.asarray(context.size(whole) - context.size(part), dtype)


def holds_beyond(context: PaddingContext, whole: Any, part: Any) -> bool:
    """Whether a window's capacity fits physically at every offset at which its size fits."""
    if not is_symbolic(whole) and not is_symbolic(part):
        return True
    rest = whole - part
    return context.capacity(rest) + context.capacity(part) <= context.capacity(whole)
