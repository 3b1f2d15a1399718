"""From JAX's treedefs to named pytree structures, each written to the ledger once."""

import re
from collections.abc import Sequence
from typing import Any

from stagelight.adapters.treedef import CUSTOM, DICT, LEAF, LIST, NAMED_TUPLE, NONE, TUPLE, Node, nodes_of
from stagelight.model.structure import NNX_OBJECT, Structure, TreeNode
from stagelight.model.value import Value
from stagelight.recorder.flax_nodes import graph_node, is_graph_states
from stagelight.recorder.import_path import import_path
from stagelight.recorder.static_fields import child_field_names, static_field_names
from stagelight.recorder.value_description import ValueDescriber, short_repr, type_name

_NEXT_KEY = re.compile(r"\.[^\W\d]\w*|\[(?:[^\[\]]|\[[^\[\]]*\])*\]")
LEAF_NODE = TreeNode(kind="*")
NONE_NODE = TreeNode(kind="None")

type Token = tuple[Any, ...]
type Metadata = tuple[tuple[str, Value], ...]


class Argument:
    """One dynamic argument while its structure is built: its name, its nodes, and what identifies them.

    Args:
        name: The parameter's name.
        nodes: Nodes of its treedef in post-order.
        describer: Describes the static data of custom nodes.
    """

    def __init__(self, name: str, nodes: list[Node], describer: ValueDescriber):
        self.name = name
        self.nodes = nodes
        self.metadata: dict[int, Value] = {}
        self.graphs: dict[int, TreeNode] = {}
        self.token: Token = tuple(self._token(i, node, describer) for i, node in enumerate(nodes))

    @property
    def leaves(self) -> int:
        """Number of leaves below it."""
        return self.nodes[-1][4]

    def _token(self, index: int, node: Node, describer: ValueDescriber) -> Any:
        kind, arity, data, cls = node[:4]
        if kind == LEAF:
            return 0
        if kind == DICT:
            return tuple(short_repr(k) for k in data)
        if kind in (NONE, TUPLE, LIST):
            return (kind, arity)
        if kind == NAMED_TUPLE:
            return (kind, type_name(data))
        if cls.__name__ == "GraphDef" and cls.__module__.startswith("flax."):
            graph = self.graphs[index] = graph_node(data, describer)
            return (type_name(cls), _token_of(graph))
        value = self.metadata[index] = describer.describe(data)
        return (type_name(cls), arity, value.type_name, value.token)


def _token_of(node: TreeNode) -> Token:
    return (node.kind, node.keys, tuple((n, v.type_name, v.token) for n, v in node.metadata),
            tuple(_token_of(c) for c in node.children))  # fmt: skip


def arguments_from_trees(trees: Sequence[Any], names: Sequence[str], describer: ValueDescriber) -> tuple[Argument, ...]:
    """Read the treedefs of one call.

    Args:
        trees: One treedef for each dynamic argument.
        names: The parameter that each belongs to.
        describer: Describes static data.
    """
    return tuple(Argument(n, nodes_of(t), describer) for n, t in zip(names, trees, strict=True))


def structure_from_arguments(arguments: Sequence[Argument], leaf_names: Sequence[str]) -> Structure:
    """Build the record: the tree of each argument, and the path of each leaf.

    Args:
        arguments: As read.
        leaf_names: JAX's own name of each leaf; made here where it gives none.
    """
    built: list[tuple[str, TreeNode]] = []
    paths: list[str] = []
    start = 0
    for argument in arguments:
        known = leaf_names[start : start + argument.leaves] if len(leaf_names) >= start + argument.leaves else ()
        start += argument.leaves
        tree = _Builder(argument, known).build()
        built.append((argument.name, tree))
        paths.extend(paths_of_leaves(tree, argument.name))
    return Structure(arguments=tuple(built), paths=tuple(paths))


def paths_of_leaves(tree: TreeNode, path: str) -> list[str]:
    """Paths of the leaves of a tree, in JAX's order.

    >>> paths_of_leaves(TreeNode(kind="dict", keys=("['w']",), children=(LEAF_NODE,)), "params")
    ["params['w']"]
    """
    if tree.kind == "*":
        return [path]
    return [p for key, child in zip(tree.keys, tree.children, strict=True) for p in paths_of_leaves(child, path + key)]


class _Builder:
    """Turns the post-order list of one argument into a tree, taking keys of custom nodes from JAX's leaf names."""

    def __init__(self, argument: Argument, leaf_names: Sequence[str]):
        self._argument = argument
        self._names = leaf_names

    def build(self) -> TreeNode:
        return self._node(len(self._argument.nodes) - 1, 0, self._argument.name)

    def _node(self, index: int, first_leaf: int, path: str) -> TreeNode:
        kind, arity, data, cls = self._argument.nodes[index][:4]
        if kind == LEAF:
            return LEAF_NODE
        if kind == NONE:
            return NONE_NODE
        if index in self._argument.graphs:
            return self._argument.graphs[index]
        children = self._children(index, arity)
        if cls is not None and is_graph_states(cls):
            return self._graph(children)
        keys = [self._key(index, i, path, first_leaf + offset, n) for i, (_, offset, n) in enumerate(children)]
        nodes = tuple(
            self._node(child, first_leaf + offset, path + key)
            for (child, offset, _), key in zip(children, keys, strict=True)
        )
        metadata = self._metadata(index, cls, keys) if kind >= CUSTOM else ()
        path = import_path(data if kind == NAMED_TUPLE else cls) if kind == NAMED_TUPLE or kind >= CUSTOM else ""
        name = _kind_name(kind, data, cls)
        return TreeNode(kind=name, keys=tuple(keys), children=nodes, metadata=metadata, type_path=path)

    def _children(self, index: int, arity: int) -> list[tuple[int, int, int]]:
        """Index, offset of the first leaf, and number of leaves of each child, first to last."""
        found: list[tuple[int, int]] = []
        at = index - 1
        for _ in range(arity):
            leaves, nodes = self._argument.nodes[at][4:]
            found.append((at, leaves))
            at -= nodes
        found.reverse()
        offset, placed = 0, []
        for child, leaves in found:
            placed.append((child, offset, leaves))
            offset += leaves
        return placed

    def _key(self, index: int, position: int, path: str, leaf: int, leaves: int) -> str:
        kind, _, data = self._argument.nodes[index][:3]
        if kind == DICT:
            return f"[{short_repr(data[position])}]"
        if kind in (TUPLE, LIST):
            return f"[{position}]"
        if kind == NAMED_TUPLE:
            return f".{data._fields[position]}"
        name = self._names[leaf] if leaves and leaf < len(self._names) else ""
        found = _NEXT_KEY.match(name, len(path)) if name.startswith(path) else None
        if found:
            return found.group().replace("<flat index ", "").replace(">", "")
        names = child_field_names(self._argument.nodes[index][3])
        return f".{names[position]}" if position < len(names) else f"[{position}]"

    def _metadata(self, index: int, cls: type, keys: list[str]) -> Metadata:
        value = self._argument.metadata[index]
        if not value.fields:
            return () if value.type_name == "NoneType" else (("", value),)
        names = static_field_names(cls, len(value.fields), {k.lstrip(".") for k in keys})
        if names is None:
            return (("", value),)
        named = zip(names, (v for _, v in value.fields), strict=True)
        return tuple((n, v) for n, v in named if v.type_name != "equinox._module._module._Missing" and n)

    def _graph(self, children: list[tuple[int, int, int]]) -> TreeNode:
        """An NNX object: the graph definition gives names and static attributes, the states its leaves."""
        graph = next((g for i, g in self._argument.graphs.items() if i <= children[0][0]), NONE_NODE)
        leaves = sum(n for _, _, n in children)
        keys = (*graph.keys, *(f".state[{i}]" for i in range(len(graph.keys), leaves)))[:leaves]
        nodes = (LEAF_NODE,) * leaves
        return TreeNode(kind=graph.kind, keys=keys, children=nodes, metadata=graph.metadata, type_path=NNX_OBJECT)


def _kind_name(kind: int, data: Any, cls: Any) -> str:
    if kind == NAMED_TUPLE:
        return data.__name__
    return {TUPLE: "tuple", LIST: "list", DICT: "dict"}.get(kind) or cls.__name__
