"""Where the classes and functions that a lock names can be imported from, so that a warm-up can make calls again."""

from collections.abc import Iterator

from stagelight.comparison.locked_key import is_function, portable
from stagelight.model.event import Traced
from stagelight.model.structure import NNX_OBJECT, Structure, TreeNode
from stagelight.model.value import Value


class LockImports:
    """Import paths by how the keys of a lock name them; a name that two things have is told for neither."""

    def __init__(self) -> None:
        self._paths: dict[str, set[str]] = {}

    def add(self, traced: Traced, structure: Structure) -> None:
        """Take in what one trace names."""
        for name, path in _named(traced, structure):
            self._paths.setdefault(name, set()).add(path)

    def sorted(self) -> tuple[tuple[str, str], ...]:
        """Name and path, by name."""
        return tuple((name, next(iter(paths))) for name, paths in sorted(self._paths.items()) if len(paths) == 1)


def _named(traced: Traced, structure: Structure) -> Iterator[tuple[str, str]]:
    for _, tree in structure.arguments:
        yield from _of_tree(tree)
    for _, value in traced.static:
        yield from _of_value(value)


def _of_tree(tree: TreeNode) -> Iterator[tuple[str, str]]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node.type_path and node.type_path != NNX_OBJECT:
            yield node.kind, node.type_path
            for _, value in node.metadata:
                yield from _of_value(value)
        waiting += node.children


def _of_value(value: Value) -> Iterator[tuple[str, str]]:
    is_named = is_function(value) or value.type_name == "type" or value.text.endswith("." + value.token)
    if value.import_path and is_named:
        yield portable(value.text), value.import_path
