"""Pytrees: containers taken apart into leaves and a structure that can be compared.

Follows ``jax/_src/tree_util.py`` and its C++ registry: tuples, lists, dicts (keys sorted), ``None``, named tuples,
``OrderedDict``, ``defaultdict`` and registered nodes, whose static data is part of the structure.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from stagelight.reference.staging_error import StagingValueError

LEAF_KIND = object()
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


def value_text(value: Any) -> str:
    """A value in words. A type of the user's is named only: its own ``__repr__`` might do anything."""
    if type(value) in (tuple, list):
        inside = ", ".join(map(value_text, value))
        return f"[{inside}]" if type(value) is list else f"({inside}{',' if len(value) == 1 else ''})"
    return (
        repr(value) if type(value) in _PLAIN else getattr(value, "__qualname__", f"{type(value).__qualname__} object")
    )


@dataclass(eq=False, slots=True)
class Structure:
    """The shape of a container without its leaves; two are equal when a tracing cache would find them equal."""

    kind: Any
    meta: Any = None
    children: tuple["Structure", ...] = ()
    unflatten: Callable[[Any, Any], Any] = field(default=lambda _, __: None, repr=False)
    names: Sequence[str] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Structure) or self.kind is not other.kind:
            return False
        return self.children == other.children and bool(self.meta == other.meta)

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
        if self.kind is LEAF_KIND:
            return [prefix]
        named = zip(self.names, self.children, strict=True)
        return [path for name, child in named for path in child.paths(prefix + name)]

    def rebuild(self, leaves: Iterable[Any]) -> Any:
        """The container again, around these leaves; an iterator is read no further than needed."""
        remaining = iter(leaves)
        if self.kind is LEAF_KIND:
            return next(remaining)
        return self.unflatten(self.meta, [child.rebuild(remaining) for child in self.children])


LEAF, NONE = Structure(LEAF_KIND), Structure(type(None))


def tuple_of(*parts: Structure) -> Structure:
    """The structure of a tuple of containers; paths do not tell that they are in it."""
    return Structure(tuple, None, parts, lambda _, c: tuple(c), [""] * len(parts))


class NodeKind(NamedTuple):
    """How one type of container is taken apart (children, static data, names of the children) and put together."""

    flatten: Callable[[Any], tuple[Iterable[Any], Any, Sequence[str]]]
    unflatten: Callable[[Any, Any], Any]


def _in_a_row(value: Any) -> tuple[Any, None, list[str]]:
    return value, None, [f"[{index}]" for index in range(len(value))]


def _by_key(value: Any, keys: Iterable[Any], *more: Any) -> tuple[Any, Any, list[str]]:
    keys = tuple(keys)
    return [value[key] for key in keys], (keys, *more), [f"[{key!r}]" for key in keys]


def _sorted_keys(value: dict[Any, Any]) -> list[Any]:
    try:
        return sorted(value)
    except TypeError as error:
        message = "Comparator raised exception while sorting pytree dictionary keys."
        raise StagingValueError(message) from error


_BUILT_IN: dict[type, NodeKind] = {
    tuple: NodeKind(_in_a_row, lambda _, c: tuple(c)),
    list: NodeKind(_in_a_row, lambda _, c: list(c)),
    dict: NodeKind(lambda v: _by_key(v, _sorted_keys(v)), lambda m, c: dict(zip(m[0], c, strict=True))),
    OrderedDict: NodeKind(lambda v: _by_key(v, v), lambda m, c: OrderedDict(zip(m[0], c, strict=True))),
    defaultdict: NodeKind(
        lambda v: _by_key(v, _sorted_keys(v), v.default_factory),
        lambda m, c: defaultdict(m[1], zip(m[0], c, strict=True)),
    ),
}


class Registry:
    """The node types a machine knows."""

    def __init__(self) -> None:
        self._kinds = dict(_BUILT_IN)

    def register_dataclass(self, kind: type, data_fields: Sequence[str], meta_fields: Sequence[str]) -> None:
        """Let a dataclass be a container: ``data_fields`` hold children, ``meta_fields`` static data."""
        if kind in self._kinds:
            raise StagingValueError(f"Duplicate custom PyTreeDef type registration for {kind}.")
        names = [f".{name}" for name in data_fields]
        self._kinds[kind] = NodeKind(
            lambda v: ([getattr(v, f) for f in data_fields], tuple(getattr(v, f) for f in meta_fields), names),
            lambda meta, c: kind(**dict(zip([*data_fields, *meta_fields], [*c, *meta], strict=True))),
        )

    def flatten(self, value: Any) -> tuple[list[Any], Structure]:
        """The leaves of a value, left to right, and its structure."""
        if value is None:
            return [], NONE
        kind: Any = type(value)
        node = self._kinds.get(kind)
        if node is None and isinstance(value, tuple) and hasattr(kind, "_fields"):
            fields = [f".{name}" for name in kind._fields]
            node = NodeKind(lambda v: (v, None, fields), lambda _, c: kind(*c))
        if node is None:
            return [value], LEAF
        children, meta, names = node.flatten(value)
        parts = [self.flatten(child) for child in children]
        structure = Structure(kind, meta, tuple(part for _, part in parts), node.unflatten, names)
        return [leaf for leaves, _ in parts for leaf in leaves], structure

    def flat(self, function: Callable[[Any], Any]) -> tuple[Callable[..., list[Any]], list[Structure]]:
        """A function of leaves that gives leaves, from one that gives a tree; its structure comes to be in the list."""
        found: list[Structure] = []

        def flat(*leaves: Any) -> list[Any]:
            results, structure = self.flatten(function(leaves))
            found.append(structure)
            return results

        return flat, found
