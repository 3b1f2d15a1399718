"""Make the pytree of one recorded argument again, with other leaves."""

import ast
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from stagelight.adapters.treedef import custom_node
from stagelight.control.value_rebuilding import NotRebuilt, Rebuilding, instance_with
from stagelight.model.structure import NNX_OBJECT, TreeNode

_BUILTIN = frozenset({"dict", "list", "tuple"})
_INSTEAD = (
    "give such calls as arguments: stagelight.warm(f, [stagelight.call(...)]), with arrays or jax.ShapeDtypeStruct"
)


def tree_from_node(node: TreeNode, path: str, leaf: Callable[[str], Any], rebuilding: Rebuilding) -> Any:
    """The tree again.

    Args:
        node: What was recorded.
        path: Name of the argument, and keys down to this node.
        leaf: Gives the leaf at a path.
        rebuilding: Makes classes and static data again.

    Raises:
        NotRebuilt: A node's class or static data was not recorded well enough.
    """
    if node.kind == "*":
        return leaf(path)
    if node.kind == "None":
        return None
    if node.kind not in _BUILTIN:
        _check_known(node, path)
    children = [
        tree_from_node(child, path + key, leaf, rebuilding) for key, child in zip(node.keys, node.children, strict=True)
    ]
    match node.kind:
        case "dict":
            return {_dict_key(key, path): child for key, child in zip(node.keys, children, strict=True)}
        case "list":
            return children
        case "tuple":
            return tuple(children)
    return _custom(node, path, children, rebuilding)


def _check_known(node: TreeNode, path: str) -> None:
    if node.type_path == NNX_OBJECT:
        message = f"{path} is a {node.kind}, an NNX object, whose graph is not recorded whole: {_INSTEAD}"
        raise NotRebuilt(message)
    if not node.type_path:
        message = f"{path} is a {node.kind}, a class that was recorded by no name to import it by: {_INSTEAD}"
        raise NotRebuilt(message)


def _custom(node: TreeNode, path: str, children: Sequence[Any], rebuilding: Rebuilding) -> Any:
    cls = rebuilding.imported(node.type_path, path)
    try:
        made = _instance(cls, node, path, children, rebuilding)
    except NotRebuilt as error:
        message = f"{error}; {_INSTEAD}"
        raise NotRebuilt(message) from None
    except Exception as error:
        message = (
            f"{path} is a {node.kind}, which could not be made again ({type(error).__name__}: {error}): {_INSTEAD}"
        )
        raise NotRebuilt(message) from None
    return made


def _instance(cls: type, node: TreeNode, path: str, children: Sequence[Any], rebuilding: Rebuilding) -> Any:
    by_key = dict(zip(node.keys, children, strict=True))
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return cls(**{key[1:]: child for key, child in by_key.items()})
    static = {name: rebuilding.value(value, f"{path}.{name}".rstrip(".")) for name, value in node.metadata}
    if dataclasses.is_dataclass(cls) and "" not in static and all(key.startswith(".") for key in node.keys):
        return instance_with(cls, {key[1:]: child for key, child in by_key.items()} | static)
    if static.keys() > {""}:
        message = f"{path} is a {node.kind}, whose static data is kept in no known way"
        raise NotRebuilt(message)
    whole = static.get("")
    if isinstance(whole, tuple) and {f"[{key!r}]" for key in whole} == by_key.keys():  # a mapping's own order
        children = [by_key[f"[{key!r}]"] for key in whole]
    return custom_node(cls, whole, children)


def _dict_key(key: str, path: str) -> Any:
    try:
        return ast.literal_eval(key[1:-1])
    except (ValueError, SyntaxError):
        message = f"the key {key} of {path} is no plain value"
        raise NotRebuilt(message) from None
