"""What ``jax.jit`` was told about a function.

Follows ``_cpp_pjit`` in ``jax/_src/pjit.py``, which keeps the ``PjitInfo`` of a jitted function as ``_jit_info``, and
the function itself as ``__wrapped__``.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax

_JITTED = type(jax.jit(lambda: None))


class JitDeclaration(NamedTuple):
    """The Python function, and its static arguments by position and by name."""

    function: Callable[..., Any]
    numbers: tuple[int, ...]
    names: tuple[str, ...]


def jit_declaration(function: object) -> JitDeclaration | None:
    """What was declared, or ``None`` for what ``jax.jit`` did not return or where this JAX does not say."""
    declared = getattr(function, "_jit_info", None)
    numbers, names = getattr(declared, "static_argnums", None), getattr(declared, "static_argnames", None)
    if not isinstance(function, _JITTED) or numbers is None or names is None:
        return None
    return JitDeclaration(function.__wrapped__, tuple(numbers), tuple(names))
