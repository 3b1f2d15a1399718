"""Names of the static fields of pytree node classes, in the order in which the node keeps them."""

import dataclasses
from collections.abc import Set


def static_field_names(cls: type, count: int, children: Set[str]) -> tuple[str, ...] | None:
    """The field names behind the static data of a node.

    Dataclasses registered with ``jax.tree_util.register_dataclass``, ``flax.struct`` dataclasses
    (``pytree_node=False``) and Equinox modules (``static=True``) keep their static data as a tuple in field order.
    Equinox puts what ``functools.wraps`` would copy before it (``equinox/_module/_flatten.py``): those get no name.

    Args:
        cls: The node's class.
        count: How many pieces of static data the node has.
        children: Field names of the node's children, where known.

    Returns:
        ``count`` names, empty ones for pieces that are no field; or ``None`` where they cannot be told.

    >>> @dataclasses.dataclass
    ... class Layer:
    ...     w: object
    ...     act: str
    >>> static_field_names(Layer, 1, {"w"})
    ('act',)
    """
    if not dataclasses.is_dataclass(cls):
        return None
    fields = dataclasses.fields(cls)
    marked = [f.name for f in fields if f.metadata.get("static") or f.metadata.get("pytree_node") is False]
    if marked and len(marked) <= count:
        return ("",) * (count - len(marked)) + tuple(marked)
    rest = [f.name for f in fields if f.name not in children]
    return tuple(rest) if len(rest) == count else None


def child_field_names(cls: type | None) -> tuple[str, ...]:
    """Names of the dataclass fields that hold data, in order; empty for other classes."""
    if cls is None or not dataclasses.is_dataclass(cls):
        return ()
    fields = dataclasses.fields(cls)
    return tuple(f.name for f in fields if not f.metadata.get("static") and f.metadata.get("pytree_node") is not False)
