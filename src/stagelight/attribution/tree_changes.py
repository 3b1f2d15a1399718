"""Two pytrees held against each other: nodes against nodes, and their static data field by field."""

from collections import deque

import msgspec

from stagelight.attribution.value_changes import ValueChange, joined, value_changes
from stagelight.model.structure import TreeNode

LEAF = "*"
MOST_KEYS = 8


class NodeChange(msgspec.Struct, frozen=True, kw_only=True):
    """One node that differs in kind, keys or length."""

    path: str
    before: str
    after: str
    detail: str = ""


class TreeChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that differs between two trees."""

    nodes: tuple[NodeChange, ...] = ()
    metadata: tuple[ValueChange, ...] = ()


def tree_changes(
    path: str, before: TreeNode, after: TreeNode, leaves: tuple[dict[str, str], dict[str, str]]
) -> TreeChanges:
    """Everything that differs between two trees.

    Args:
        path: Path of both.
        before: The earlier tree.
        after: This one.
        leaves: Text of each leaf by path, of the earlier call and of this one.
    """
    nodes: list[NodeChange] = []
    metadata: list[ValueChange] = []
    waiting = deque([(path, before, after)])
    while waiting:
        at, old, new = waiting.popleft()
        if old is new or not may_differ(old, new):
            continue
        if old.kind != new.kind:
            nodes.append(NodeChange(path=at, before=node_text(old, at, leaves[0]), after=node_text(new, at, leaves[1])))
            continue
        if old.keys != new.keys:
            nodes.append(key_change(at, old, new))
        metadata += metadata_changes(at, old, new)
        earlier = dict(zip(old.keys, old.children, strict=False))
        waiting.extend(
            (at + key, earlier[key], child)
            for key, child in zip(new.keys, new.children, strict=False)
            if key in earlier
        )
    return TreeChanges(nodes=tuple(nodes), metadata=tuple(metadata))


def may_differ(one: TreeNode, other: TreeNode) -> bool:
    """Whether two trees differ, or are too deep for Python to compare in one go: then they are walked."""
    try:
        return one != other
    except RecursionError:
        return True


def node_text(node: TreeNode, path: str, leaves: dict[str, str]) -> str:
    """One node in a few words.

    >>> leaf = TreeNode(kind="*")
    >>> node_text(TreeNode(kind="list", keys=("[0]", "[1]"), children=(leaf, leaf)), "xs", {})
    'list of 2'
    """
    if node.kind == LEAF:
        return leaves.get(path, "a leaf")
    if node.kind in ("list", "tuple"):
        return f"{node.kind} of {len(node.children)}"
    if node.kind == "dict":
        return f"dict with {keys_text(node.keys)}" if node.keys else "empty dict"
    return node.kind


def keys_text(keys: tuple[str, ...]) -> str:
    """Keys as a reader lists them, the first few where there are many."""
    shown = ", ".join(bare(key) for key in keys[:MOST_KEYS])
    return shown if len(keys) <= MOST_KEYS else f"{shown} and {len(keys) - MOST_KEYS} more"


def bare(key: str) -> str:
    """A key without its brackets or dot.

    >>> bare("['w']"), bare(".weight")
    ("'w'", 'weight')
    """
    return key[1:-1] if key.startswith("[") else key.removeprefix(".")


def key_change(path: str, old: TreeNode, new: TreeNode) -> NodeChange:
    """Keys that came and went, or another length."""
    before, after = node_text(old, path, {}), node_text(new, path, {})
    if old.kind in ("list", "tuple"):
        return NodeChange(path=path, before=before, after=after)
    old_keys, new_keys = set(old.keys), set(new.keys)
    added = tuple(key for key in new.keys if key not in old_keys)
    removed = tuple(key for key in old.keys if key not in new_keys)
    said = [f"key added {keys_text(added)}"] if added else []
    said += [f"key removed {keys_text(removed)}"] if removed else []
    if old.kind != "dict":
        before, after = f"{old.kind} with {keys_text(old.keys)}", f"{new.kind} with {keys_text(new.keys)}"
    return NodeChange(path=path, before=before, after=after, detail=", ".join(said) or "keys in another order")


def metadata_changes(path: str, old: TreeNode, new: TreeNode) -> list[ValueChange]:
    """Fields of the static data that differ, came or went."""
    if old.metadata == new.metadata:
        return []
    earlier, now = dict(old.metadata), dict(new.metadata)
    found: list[ValueChange] = []
    for name, value in now.items():
        if name in earlier:
            found += value_changes(joined(path, name), earlier[name], value)
        else:
            found.append(ValueChange(path=joined(path, name), before="absent", after=value.text))
    found += [
        ValueChange(path=joined(path, name), before=value.text, after="absent")
        for name, value in earlier.items()
        if name not in now
    ]
    return found
