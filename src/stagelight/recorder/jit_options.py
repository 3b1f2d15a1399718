"""Options of a jit that differ from the default ones, by the name that the user writes."""

from typing import Any

_PLAIN = ("donate_argnums", "donate_argnames", "static_argnums", "static_argnames", "keep_unused", "inline", "device",
          "backend", "compiler_options_kvs")  # fmt: skip
_SHOWN = {"compiler_options_kvs": "compiler_options"}
_SHARDINGS = {"in_shardings_leaves": "in_shardings", "out_shardings_leaves": "out_shardings"}


def jit_options(jit: Any) -> tuple[tuple[str, str], ...]:
    """Non-default options of a ``PjitInfo`` (``jax/_src/pjit.py``) as texts."""
    found: list[tuple[str, str]] = []
    for name in _PLAIN:
        value = getattr(jit, name, None)
        if value and value is not default_inline(value):
            found.append((_SHOWN.get(name, name), str(value)))
    for name, shown in _SHARDINGS.items():
        leaves = getattr(jit, name, None) or ()
        if any(type(leaf).__name__ != "UnspecifiedValue" for leaf in leaves):
            found.append((shown, str(leaves)))
    return tuple(found)


def default_inline(value: Any) -> Any:
    """The member of JAX's ``Inline`` that means "not asked for", if the value is one of that enumeration."""
    return getattr(type(value), "AUTO", None)
