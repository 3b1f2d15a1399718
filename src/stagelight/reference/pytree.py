"""Pytrees: containers taken apart into leaves and a structure that can be compared.

Follows ``jax/_src/tree_util.py`` and its C++ registry: tuples, lists, dicts (keys sorted), ``None``, named tuples,
``OrderedDict``, ``defaultdict`` and registered nodes, whose static data is part of the structure.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from stagelight.reference.staging_error import StagingValueError

type Flatten = Callable[[Any], tuple[Iterable[Any], Any]]
type Unflatten = Callable[[Any, Iterable[Any]], Any]


class Structure:
    """The shape of a container without its leaves; two are equal when a tracing cache would find them equal."""

    __slots__ = ("children", "kind", "leaf_count", "meta", "names", "unflatten")

    def __init__(
        self,
        kind: Any,
        meta: Any,
        children: tuple["Structure", ...],
        unflatten: Unflatten | None,
        names: tuple[str, ...],
    ) -> None:
        self.kind, self.meta, self.children, self.unflatten, self.names = kind, meta, children, unflatten, names
        self.leaf_count = 1 if kind is LEAF_KIND else sum(child.leaf_count for child in children)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Structure)
            and self.kind is other.kind
            and self.children == other.children
            and bool(self.meta == other.meta)
        )

    def __hash__(self) -> int:
        # The static data is left out, as in JAX's C++: it may be equal without hashing alike, or not hash at all.
        return hash((self.kind, self.children))

    def __repr__(self) -> str:
        if self.kind is LEAF_KIND:
            return "*"
        if self.kind is type(None):
            return "None"
        inside = ", ".join(f"{name}: {child!r}" for name, child in zip(self.names, self.children, strict=True))
        meta = f"; {self.meta!r}" if self.unflatten and self.kind not in (tuple, list, dict) else ""
        return f"{getattr(self.kind, '__name__', self.kind)}({inside}{meta})"

    def paths(self, prefix: str = "") -> tuple[str, ...]:
        """The path to each leaf as a user writes it, such as ``['layers'][1]``."""
        if self.kind is LEAF_KIND:
            return (prefix,)
        return tuple(
            path for name, child in zip(self.names, self.children, strict=True) for path in child.paths(prefix + name)
        )

    def rebuild(self, leaves: Iterable[Any]) -> Any:
        """The container again, around these leaves."""
        return self._rebuild(iter(leaves))

    def _rebuild(self, leaves: Any) -> Any:
        if self.kind is LEAF_KIND:
            return next(leaves)
        children = [child._rebuild(leaves) for child in self.children]
        return None if self.unflatten is None else self.unflatten(self.meta, children)


LEAF_KIND = object()
LEAF = Structure(LEAF_KIND, None, (), None, ())
NONE = Structure(type(None), None, (), None, ())


class NodeKind(NamedTuple):
    """How one type of container is taken apart and put together again."""

    flatten: Flatten
    unflatten: Unflatten
    names: Callable[[Any, int], tuple[str, ...]]


def _sorted_items(value: dict[Any, Any]) -> tuple[list[Any], tuple[Any, ...]]:
    try:
        keys = sorted(value)
    except TypeError as error:
        message = "Comparator raised exception while sorting pytree dictionary keys."
        raise StagingValueError(message) from error
    return [value[key] for key in keys], tuple(keys)


def _indices(_meta: Any, count: int) -> tuple[str, ...]:
    return tuple(f"[{index}]" for index in range(count))


def _keys(meta: Any, _count: int) -> tuple[str, ...]:
    return tuple(f"[{key!r}]" for key in meta)


class Registry:
    """The node types a machine knows."""

    def __init__(self) -> None:
        self._kinds: dict[type, NodeKind] = {
            tuple: NodeKind(lambda v: (v, None), lambda _, c: tuple(c), _indices),
            list: NodeKind(lambda v: (v, None), lambda _, c: list(c), _indices),
            dict: NodeKind(_sorted_items, lambda keys, c: dict(zip(keys, c, strict=True)), _keys),
            OrderedDict: NodeKind(
                lambda v: (v.values(), tuple(v)), lambda keys, c: OrderedDict(zip(keys, c, strict=True)), _keys
            ),
            defaultdict: NodeKind(
                lambda v: (_sorted_items(v)[0], (v.default_factory, _sorted_items(v)[1])),
                lambda meta, c: defaultdict(meta[0], zip(meta[1], c, strict=True)),
                lambda meta, _: _keys(meta[1], 0),
            ),
        }

    def register(self, kind: type, flatten: Flatten, unflatten: Unflatten, names: tuple[str, ...] = ()) -> None:
        """Let values of a type be containers; ``flatten`` gives the children and the static data."""
        if kind in self._kinds:
            raise StagingValueError(f"Duplicate custom PyTreeDef type registration for {kind}.")
        self._kinds[kind] = NodeKind(
            flatten, unflatten, lambda meta, count: names or tuple(f"[<flat index {i}>]" for i in range(count))
        )

    def register_dataclass(self, kind: type, data_fields: tuple[str, ...], meta_fields: tuple[str, ...]) -> None:
        """Let a dataclass be a container: ``data_fields`` hold children, ``meta_fields`` static data."""

        def unflatten(meta: Any, children: Iterable[Any]) -> Any:
            return kind(**dict(zip(data_fields, children, strict=True)), **dict(zip(meta_fields, meta, strict=True)))

        self.register(
            kind,
            lambda v: ([getattr(v, f) for f in data_fields], tuple(getattr(v, f) for f in meta_fields)),
            unflatten,
            tuple(f".{f}" for f in data_fields),
        )

    def flatten(self, value: Any) -> tuple[list[Any], Structure]:
        """The leaves of a value, left to right, and its structure."""
        if value is None:
            return [], NONE
        kind = type(value)
        node = self._kinds.get(kind)
        if node is None and isinstance(value, tuple) and hasattr(kind, "_fields"):
            fields = tuple(f".{name}" for name in kind._fields)  # type: ignore[attr-defined]
            node = NodeKind(lambda v: (v, None), lambda _, c: kind(*c), lambda _m, _n: fields)
        if node is None:
            return [value], LEAF
        children, meta = node.flatten(value)
        parts = [self.flatten(child) for child in children]
        structure = Structure(
            kind, meta, tuple(part for _, part in parts), node.unflatten, node.names(meta, len(parts))
        )
        return [leaf for leaves, _ in parts for leaf in leaves], structure
