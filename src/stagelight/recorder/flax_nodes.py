"""NNX objects as ``nnx.jit`` hands them to ``jax.jit``: a graph definition with the static attributes, and flat states.

Follows ``flax/nnx/extract.py: NodeStates`` and ``flax/nnx/graphlib.py: GraphDef`` (nodes in pre-order, and one list of
attributes that is consumed as the nodes are walked).
"""

from collections.abc import Iterator
from typing import Any

from stagelight.model.structure import TreeNode
from stagelight.model.value import Value
from stagelight.recorder.value_description import ValueDescriber

_LEAF = TreeNode(kind="*")


def is_graph_states(cls: type) -> bool:
    """Whether a pytree node class is what NNX splits an object into."""
    return cls.__name__ == "NodeStates" and cls.__module__.startswith("flax.")


def graph_node(definition: Any, describer: ValueDescriber) -> TreeNode:
    """A graph definition as one node: leaves under their attribute paths, static attributes as metadata.

    A definition that is not laid out as expected becomes a node with one piece of metadata, described as any object.
    """
    try:
        return _Walk(definition, describer).result()
    except Exception:  # another version of Flax
        return TreeNode(kind="GraphDef", metadata=(("", describer.describe(definition)),))


class _Walk:
    def __init__(self, definition: Any, describer: ValueDescriber):
        self._nodes: Iterator[Any] = iter(definition.nodes)
        self._attributes: Iterator[Any] = iter(definition.attributes)
        self._describer = describer
        self._leaves: list[str] = []
        self._metadata: list[tuple[str, Value]] = []
        self._root = getattr(getattr(definition.nodes[0], "type", None), "__name__", "object")

    def result(self) -> TreeNode:
        self._node("")
        return TreeNode(kind=self._root, keys=tuple(self._leaves), children=(_LEAF,) * len(self._leaves),
                        metadata=tuple(self._metadata))  # fmt: skip

    def _node(self, path: str, *, is_told: bool = True) -> None:
        told = len(self._metadata)
        self._told_node(path)
        if not is_told:  # bookkeeping of Flax itself: its attributes are consumed, not shown
            del self._metadata[told:]

    def _told_node(self, path: str) -> None:
        node = next(self._nodes)
        kind = type(node).__name__
        if kind == "NodeRef":
            self._metadata.append((f"{path} shared", self._describer.describe(node.index)))
            return
        if kind == "VariableDef":
            self._variable(node, path)
            return
        if path:
            self._metadata.append((f"{path} type", self._describer.describe(node.type)))
        if node.metadata is not None and not isinstance(node.metadata, type):
            self._metadata.append((f"{path} metadata", self._describer.describe(node.metadata)))
        for _ in range(node.num_attributes):
            self._attribute(path)

    def _variable(self, node: Any, path: str) -> None:
        self._leaves.append(f".{path}")
        self._metadata.append((f"{path} type", self._describer.describe(node.type)))
        for name, value in dict(node.metadata).items():
            self._metadata.append((f"{path} {name}", self._describer.describe(value)))
        if type(getattr(node, "array_refdef", None)).__name__ == "NodeRef":
            self._metadata.append((f"{path} shared", self._describer.describe(node.array_refdef.index)))

    def _attribute(self, path: str) -> None:
        key, attribute = next(self._attributes)
        name = f"{path}.{key}" if path and isinstance(key, str) else f"{path}[{key!r}]" if path else str(key)
        kind = type(attribute).__name__
        if kind == "NodeAttr":
            self._node(name, is_told=not str(key).startswith("_pytree__"))
        elif kind == "Static":
            if not str(key).startswith("_pytree__"):
                self._metadata.append((name, self._describer.describe(attribute.value)))
        else:
            self._leaves.append(f".{name}")
