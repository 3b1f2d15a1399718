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


class JitOptions:
    """Non-default options of jits as texts, worked out once for equal options."""

    def __init__(self) -> None:
        self._known: dict[Any, Texts] = {}
        self._latest: tuple[Any, Texts] = ((), ())

    def of(self, jit: Any) -> Texts:
        """Those of a ``PjitInfo`` (``jax/_src/pjit.py``)."""
        try:
            values = _READ(jit)
            if values == self._latest[0]:  # compared by identity mostly, where hashing would look at each
                return self._latest[1]
            known = self._known.get(values)
        except (AttributeError, TypeError):  # an option that this JAX lacks, or that cannot be hashed
            return _texts(tuple(getattr(jit, name, None) for name in _NAMES))
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[values] = _texts(values)
        self._latest = values, known
        return known


def _texts(values: tuple[Any, ...]) -> Texts:
    pairs = zip(_NAMES, values, strict=True)
    return tuple((_SHOWN.get(name, name), str(value)) for name, value in pairs if not _is_default(value))


def _is_default(value: Any) -> bool:
    """Whether a value means "not asked for": empty, JAX's ``Inline.AUTO``, or shardings left unspecified."""
    if not value or value is getattr(type(value), "AUTO", None):
        return True
    return type(value) is tuple and all(type(v).__name__ == "UnspecifiedValue" for v in value)
