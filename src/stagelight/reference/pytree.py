"""Pytrees: containers taken apart into leaves and a structure that can be compared.

Follows ``jax/_src/tree_util.py`` and its C++ registry: tuples, lists, dicts (keys sorted), ``None``, named tuples,
``OrderedDict`` and registered nodes, whose static data is part of the structure. A static argument is a node without
children, as ``FTStatic`` in ``jax/_src/flattree.py``.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from stagelight.reference.staging_error import StagingValueError, require_value

LEAF_KIND = object()
_PLAIN = (bool, int, float, complex, str, bytes, type(None))

# How one type of container is taken apart (children, static data, names of the children) and put together again.
type NodeKind = tuple[Callable[[Any], tuple[Iterable[Any], Any, Sequence[str]]], Callable[[Any, Any, Any], Any]]


def value_text(value: Any) -> str:
    """A value in words. A type of the user's is named only: its own ``__repr__`` might do anything."""
    if type(value) in (tuple, list):
        inside = ", ".join(map(value_text, value))
        return f"[{inside}]" if type(value) is list else f"({inside}{',' if len(value) == 1 else ''})"
    named = getattr(value, "__qualname__", f"{type(value).__qualname__} object")
    return repr(value) if type(value) in _PLAIN else named


class StaticValue(msgspec.Struct, eq=False):
    """A static value in a key: equal to one of the same type that compares equal."""

    value: Any

    def __hash__(self) -> int:
        try:
            return hash(self.value)
        except TypeError as error:
            says = f"Non-hashable static arguments are not supported. The value is of type {type(self.value)}: {error}"
            raise StagingValueError(says) from None

    def __eq__(self, other: Any) -> bool:
        return type(self.value) is type(other.value) and bool(self.value == other.value)


class Structure(msgspec.Struct, eq=False):
    """The shape of a container without its leaves; two are equal when a tracing cache would find them equal."""

    kind: Any
    meta: Any = None
    children: tuple["Structure", ...] = ()
    names: Sequence[str] = ()
    unflatten: Callable[[Any, Any, Any], Any] | None = None

    def __eq__(self, other: Any) -> bool:
        return (self.kind, self.children, self.meta) == (other.kind, other.children, other.meta)

    def __hash__(self) -> int:
        # The static data is left out, as in JAX's C++: it may be equal without hashing alike, or not hash at all.
        return hash((self.kind, self.children))

    def __repr__(self) -> str:
        if self.kind in (LEAF_KIND, type(None)):
            return "*" if self.kind is LEAF_KIND else "None"
        inside = ", ".join(f"{name}: {child!r}" for name, child in zip(self.names, self.children, strict=True))
        meta = f"; {value_text(self.meta)}" if self.kind not in (tuple, list, dict) else ""
        return f"{self.kind.__name__}({inside}{meta})"

    def paths(self, prefix: str = "") -> list[str]:
        """The path to each leaf as a user writes it, such as ``['layers'][1]``."""
        named = zip(self.names, self.children, strict=True)
        inside = [path for name, child in named for path in child.paths(prefix + name)]
        return [prefix] if self.kind is LEAF_KIND else inside

    def rebuild(self, leaves: Iterable[Any]) -> Any:
        """The container again, around these leaves; an iterator is read no further than needed."""
        remaining = iter(leaves)
        if self.unflatten is None:
            return next(remaining)
        return self.unflatten(self.kind, self.meta, [child.rebuild(remaining) for child in self.children])


LEAF = Structure(LEAF_KIND)


def tuple_of(*parts: Structure) -> Structure:
    """The structure of a tuple of containers; paths do not tell that they are in it."""
    return Structure(tuple, None, parts, [""] * len(parts), lambda *given: tuple(given[-1]))


def _by_key(value: Any, keys: Iterable[Any]) -> tuple[Any, Any, list[str]]:
    keys = tuple(keys)
    return [value[key] for key in keys], keys, [f"[{key!r}]" for key in keys]


def _sorted(keys: Iterable[Any]) -> list[Any]:
    try:
        return sorted(keys)
    except TypeError:
        raise StagingValueError("Comparator raised exception while sorting pytree dictionary keys.") from None


_ROW: NodeKind = (lambda v: (v, None, [f"[{i}]" for i in range(len(v))]), lambda kind, _, c: kind(c))
_NAMED_ROW: NodeKind = (lambda v: (v, None, [f".{name}" for name in v._fields]), lambda kind, _, c: kind(*c))
_KINDS: dict[type, NodeKind] = {
    type(None): (lambda _: ((), None, ()), lambda *_: None),
    StaticValue: (lambda v: ((), v, ()), lambda _, static, __: static.value),
    tuple: _ROW,
    list: _ROW,
    dict: (lambda v: _by_key(v, _sorted(v)), lambda kind, keys, c: kind(zip(keys, c, strict=True))),
    OrderedDict: (lambda v: _by_key(v, v), lambda kind, keys, c: kind(zip(keys, c, strict=True))),
}


class Registry:
    """The node types a machine knows."""

    def __init__(self) -> None:
        self._kinds = dict(_KINDS)

    def register_dataclass(self, kind: type, data_fields: Sequence[str], meta_fields: Sequence[str]) -> None:
        """Let a dataclass be a container: ``data_fields`` hold children, ``meta_fields`` static data."""
        require_value(kind not in self._kinds, f"Duplicate custom PyTreeDef type registration for {kind}.")
        fields, names = (*data_fields, *meta_fields), [f".{name}" for name in data_fields]
        self._kinds[kind] = (
            lambda v: ([getattr(v, f) for f in data_fields], tuple(getattr(v, f) for f in meta_fields), names),
            lambda kind, meta, c: kind(**dict(zip(fields, [*c, *meta], strict=True))),
        )

    def flatten(self, value: Any) -> tuple[list[Any], Structure]:
        """The leaves of a value, left to right, and its structure."""
        kind: Any = type(value)
        node = self._kinds.get(kind, _NAMED_ROW if issubclass(kind, tuple) and hasattr(kind, "_fields") else None)
        if node is None:
            return [value], LEAF
        children, meta, names = node[0](value)
        parts = [self.flatten(child) for child in children]
        structure = Structure(kind, meta, tuple(part for _, part in parts), names, node[1])
        return [leaf for leaves, _ in parts for leaf in leaves], structure

    def flat(self, function: Callable[[Any], Any]) -> tuple[Callable[..., list[Any]], list[Structure]]:
        """A function of leaves that gives leaves, from one that gives a tree; its structure comes to be in the list."""
        found: list[Structure] = []

        def flat(*leaves: Any) -> list[Any]:
            results, structure = self.flatten(function(leaves))
            found.append(structure)
            return results

        return flat, found
