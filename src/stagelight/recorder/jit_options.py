"""Options of a jit that differ from the default ones, by the name that the user writes."""

from operator import attrgetter
from typing import Any

_NAMES = ("donate_argnums", "donate_argnames", "static_argnums", "static_argnames", "keep_unused", "inline", "device",
          "backend", "compiler_options_kvs", "in_shardings_leaves", "out_shardings_leaves")  # fmt: skip
_SHOWN = {
    "compiler_options_kvs": "compiler_options",
    "in_shardings_leaves": "in_shardings",
    "out_shardings_leaves": "out_shardings",
}
_READ = attrgetter(*_NAMES)
_MOST_KNOWN = 256

type Texts = tuple[tuple[str, str], ...]

_KNOWN: dict[Any, Texts] = {}


def jit_options(jit: Any) -> Texts:
    """Non-default options of a ``PjitInfo`` (``jax/_src/pjit.py``) as texts, worked out once for equal options."""
    try:
        values = _READ(jit)
        known = _KNOWN.get(values)
    except (AttributeError, TypeError):  # an option that this JAX lacks, or that cannot be hashed
        return _texts(tuple(getattr(jit, name, None) for name in _NAMES))
    if known is None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        known = _KNOWN[values] = _texts(values)
    return known


def _texts(values: tuple[Any, ...]) -> Texts:
    pairs = zip(_NAMES, values, strict=True)
    return tuple((_SHOWN.get(name, name), str(value)) for name, value in pairs if not _is_default(value))


def _is_default(value: Any) -> bool:
    """Whether a value means "not asked for": empty, JAX's ``Inline.AUTO``, or shardings left unspecified."""
    if not value or value is getattr(type(value), "AUTO", None):
        return True
    return type(value) is tuple and all(type(v).__name__ == "UnspecifiedValue" for v in value)
