"""A call as ``equinox.filter_jit`` hands it to ``jax.jit``: arrays in two dicts, all else in one static argument.

Follows ``equinox/_jit.py: _preprocess``: the static argument is a triple of ``(leaves, treedef)`` pairs, for the
function, the first argument, and ``(other positional arguments, keyword arguments)``; a leaf that is an array stands as
``None``.
"""

import os
from collections.abc import Iterator
from typing import Any

from stagelight.model.structure import Structure, TreeNode
from stagelight.recorder.structures import arguments_from_trees, structure_from_arguments
from stagelight.recorder.value_description import ValueDescriber

_FILE = os.path.join("equinox", "_jit.py")


def wrapped_by_equinox(fun: Any, static: dict[str, Any] | None) -> Any:
    """The user's function inside ``filter_jit``, or ``None`` if this is no such call."""
    code = getattr(fun, "__code__", None)
    if code is None or not static or not code.co_filename.endswith(_FILE):
        return None
    parts = static.get("static")
    try:
        leaves = parts[0][0]
    except (TypeError, IndexError):
        return None
    return next((leaf for leaf in leaves if callable(leaf)), None)


class EquinoxCall:
    """The user's arguments, put together again from what Equinox took apart.

    Attributes:
        static: Leaves that are not arrays, under their paths.
        token: Equal for equal structures.
    """

    def __init__(self, static: Any, parameters: tuple[str, ...], describer: ValueDescriber):
        (_, (first_leaves, first_tree), (rest_leaves, rest_tree)) = static
        first = arguments_from_trees([first_tree], [parameters[0] if parameters else "args[0]"], describer)
        rest = arguments_from_trees([rest_tree], [""], describer)
        whole = structure_from_arguments(first, ())
        others = structure_from_arguments(rest, ())
        arguments = (*whole.arguments, *_named_rest(others.arguments[0][1], parameters))
        paths = [p for name, tree in arguments for p in _paths(tree, name)]
        leaves = [*first_leaves, *rest_leaves]
        self.static = tuple(
            (path, describer.describe(leaf)) for path, leaf in zip(paths, leaves, strict=False) if leaf is not None
        )
        is_array = [leaf is None for leaf in leaves]
        dynamic = [p for p, keep in zip(paths, is_array, strict=False) if keep]
        in_first = sum(is_array[: len(first_leaves)])
        self._arguments = arguments
        self._first, self._rest = tuple(dynamic[:in_first]), tuple(dynamic[in_first:])
        self.token = (first[0].token, rest[0].token, tuple(is_array))

    def with_leaves(self, leaves: int) -> Structure:
        """Structure of the arguments that the user passed, given how many array leaves JAX sees."""
        return Structure(arguments=self._arguments, paths=leaf_order(self._first, self._rest, leaves))


def _named_rest(tree: TreeNode, parameters: tuple[str, ...]) -> Iterator[tuple[str, TreeNode]]:
    if len(tree.children) != 2:
        yield "args", tree
        return
    positional, keywords = tree.children
    for i, child in enumerate(positional.children):
        if child.kind == "None" and i == len(positional.children) - 1:
            continue  # the dummy that Equinox appends
        yield parameters[i + 1] if i + 1 < len(parameters) else f"args[{i + 1}]", child
    for key, child in zip(keywords.keys, keywords.children, strict=True):
        yield key.strip("[]'\""), child


def _paths(tree: TreeNode, path: str) -> Iterator[str]:
    if tree.kind == "*":
        yield path
    for key, child in zip(tree.keys, tree.children, strict=True):
        yield from _paths(child, path + key)


def leaf_order(first: tuple[str, ...], rest: tuple[str, ...], leaves: int) -> tuple[str, ...]:
    """Paths in JAX's order: the first argument, then what the function itself holds, then the other arguments.

    >>> leaf_order(("x",), ("y",), 3)
    ('x', '__self__[0]', 'y')
    """
    own = tuple(f"__self__[{i}]" for i in range(leaves - len(first) - len(rest)))
    return (*first, *own, *rest)
