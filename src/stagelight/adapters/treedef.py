"""The nodes of a ``PyTreeDef`` in one call.

Follows ``jaxlib/pytree: PyTreeDef.__getstate__``: a list in post-order of ``(kind, arity, data, type, leaves, nodes)``,
with kinds 0 leaf, 1 None, 2 tuple, 3 named tuple, 4 list, 5 dict, 6 custom, 7 dataclass. Where it is missing the same
list is made from ``node_data()`` and ``children()``, which is about seven times slower.
"""

from collections.abc import Sequence
from typing import Any

LEAF, NONE, TUPLE, NAMED_TUPLE, LIST, DICT, CUSTOM, DATACLASS = range(8)

ONE_LEAF: list[Any] = [(LEAF, 0, None, None, 1, 1)]

type Node = tuple[int, int, Any, Any, int, int]


def nodes_of(treedef: Any) -> list[Node]:
    """Nodes of a treedef in post-order.

    Returns:
        ``(kind, arity, data, type, number of leaves, number of nodes)`` each; ``data`` is the keys of a dict, the class
        of a named tuple, or the static data of a custom node, and ``type`` the class of a custom node.
    """
    try:
        if treedef.num_nodes == 1 and treedef.num_leaves == 1:
            return ONE_LEAF
        nodes = treedef.__getstate__()[1]
    except Exception:  # another jaxlib: walk instead
        nodes = None
    if nodes and all(len(n) == 6 for n in nodes):
        return nodes
    walked: list[Node] = []
    _walk(treedef, walked)
    return walked


def _walk(treedef: Any, out: list[Node]) -> tuple[int, int]:
    data = treedef.node_data()
    if data is None:
        out.append((LEAF, 0, None, None, 1, 1))
        return 1, 1
    leaves, nodes = 0, 1
    children = treedef.children()
    for child in children:
        child_leaves, child_nodes = _walk(child, out)
        leaves += child_leaves
        nodes += child_nodes
    kind, static, cls = _kind_of(*data)
    out.append((kind, len(children), static, cls, leaves, nodes))
    return leaves, nodes


def _kind_of(cls: Any, static: Any) -> tuple[int, Any, Any]:
    if cls is type(None):
        return NONE, None, None
    if cls is dict:
        return DICT, static, None
    if cls is list:
        return LIST, None, None
    if cls is tuple:
        return TUPLE, None, None
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return NAMED_TUPLE, cls, None
    return CUSTOM, static, cls


def custom_node(cls: type, static: Any, children: Sequence[Any]) -> Any:
    """An instance of a registered class, from its static data and its children, as unflattening makes it.

    Follows ``jaxlib/pytree: PyTreeDef.from_node_data_and_children``.

    Args:
        cls: The class.
        static: Its static data, exactly as its registration gives it.
        children: What is below it.
    """
    from jax.tree_util import PyTreeDef, default_registry, tree_structure

    leaves = [tree_structure(0)] * len(children)
    return PyTreeDef.from_node_data_and_children(default_registry, (cls, static), leaves).unflatten(children)
