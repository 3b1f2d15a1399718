"""Arguments for ``equinox.filter_jit``, which takes a ``jax.ShapeDtypeStruct`` for static data and no array.

Follows ``equinox/_jit.py: _JitWrapper.lower`` and ``equinox/_filters.py: is_array``: only arrays are data.
"""

from typing import Any

from stagelight.control.key_types import PREFIX, key_of


def is_equinox_jit(function: Any) -> bool:
    """Whether ``equinox.filter_jit`` made a function."""
    return type(function).__name__ == "_JitWrapper" and type(function).__module__.startswith("equinox.")


def with_arrays(arguments: Any) -> Any:
    """The arguments with an array for each shape.

    A shape of plain data becomes a NumPy array without memory of its own, which leads to the same executable as an
    uncommitted array. One that is weakly typed, committed or of keys becomes an array: that much is allocated.
    """
    import jax

    return jax.tree.map(lambda leaf: _array(leaf) if isinstance(leaf, jax.ShapeDtypeStruct) else leaf, arguments)


def _array(shape: Any) -> Any:
    import jax
    import jax.numpy as jnp
    import numpy as np

    if str(shape.dtype).startswith(PREFIX):
        key = key_of(str(shape.dtype))
        made = jax.random.split(key, shape.shape) if shape.shape else key
    elif shape.weak_type:
        made = jnp.broadcast_to(jnp.asarray(shape.dtype.type(0).item()), shape.shape)
    else:
        made = np.broadcast_to(np.zeros((), shape.dtype), shape.shape)
    if shape.sharding is None:
        return made
    return jax.device_put(made, shape.sharding if shape.format.layout is None else shape.format)
