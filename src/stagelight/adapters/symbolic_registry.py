"""The names of all primitives that JAX itself knows how to lower, batch or differentiate.

Follows ``jax/_src/interpreters/mlir.py`` (``_lowerings``, ``_platform_specific_lowerings``),
``jax/_src/interpreters/batching.py`` (``fancy_primitive_batchers``) and
``jax/_src/interpreters/ad.py`` (``primitive_jvps``). Used by tests alone: a new primitive must be looked at.
"""

import importlib

_MODULES = (
    "jax.numpy",
    "jax.random",
    "jax.scipy.linalg",
    "jax.scipy.special",
    "jax.scipy.signal",
    "jax.ops",
    "jax.export",
    "jax.debug",
    "jax.experimental.custom_partitioning",
)


def registered_primitives() -> frozenset[str]:
    """Names of primitives in JAX's tables, after importing JAX's own public modules."""
    for module in _MODULES:
        importlib.import_module(module)
    from jax._src.interpreters import ad, batching, mlir

    tables = [
        mlir._lowerings,
        *mlir._platform_specific_lowerings.values(),
        batching.fancy_primitive_batchers,
        ad.primitive_jvps,
    ]
    return frozenset(primitive.name for table in tables for primitive in table)
