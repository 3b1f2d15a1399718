"""The names of all primitives that JAX itself knows how to lower, batch or differentiate.

Follows ``jax/_src/interpreters/mlir.py`` (``_lowerings``, ``_platform_specific_lowerings``),
``jax/_src/interpreters/batching.py`` (``fancy_primitive_batchers``) and
``jax/_src/interpreters/ad.py`` (``primitive_jvps``). Used by tests alone: a new primitive must be looked at.
"""

import importlib
from typing import Any

_MODULES = (
    "jax.numpy",
    "jax.random",
    "jax.scipy.linalg",
    "jax.scipy.special",
    "jax.scipy.signal",
    "jax.ops",
    "jax.export",
    "jax.debug",
    "jax.experimental.checkify",
    "jax.experimental.custom_partitioning",
)


def registered_primitives() -> frozenset[str]:
    """Names of primitives in JAX's tables, after importing JAX's own public modules."""
    for module in _MODULES:
        importlib.import_module(module)
    from jax._src.interpreters import ad, batching

    tables = (*_lowerings(), batching.fancy_primitive_batchers, ad.primitive_jvps)
    return frozenset(known.name for table in tables for known in table)


def primitive(name: str) -> Any:
    """The primitive of a name, for those that no public function binds."""
    return next(known for table in _lowerings() for known in table if known.name == name)


def _lowerings() -> tuple[Any, ...]:
    from jax._src.interpreters import mlir

    return mlir._lowerings, *mlir._platform_specific_lowerings.values()
