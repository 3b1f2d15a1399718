"""A cache key in words that mean the same in another run: no digests, no object numbers."""

import re
from collections.abc import Iterator

from stagelight.model.aval import text_from_aval
from stagelight.model.comparison import ChangedPart, Part, RunKey
from stagelight.model.event import Traced
from stagelight.model.structure import Structure, TreeNode

STATIC = "static "
OPTION = "option "
CONVENTION = "calling convention"
ABSENT = "–"
LEAF = "*"

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def stable_text(text: str) -> str:
    """Text without the addresses of objects, which mean nothing in another process.

    >>> stable_text("<Mesh object at 0x7f0011>")
    '<Mesh object>'
    """
    return _ADDRESS.sub("", text)


def parts_of_trace(traced: Traced, structure: Structure | None) -> tuple[Part, ...]:
    """Everything in the key of a trace but its context, in words."""
    paths = structure.paths if structure is not None else ()
    names = (*paths, *(f"leaf {i}" for i in range(len(paths), len(traced.avals))))
    parts = [(name, _aval_text(traced, i)) for i, name in enumerate(names[: len(traced.avals)])]
    if structure is not None:
        parts += [part for name, tree in structure.arguments for part in _tree_parts(tree, name)]
    parts += [(STATIC + name, stable_text(value.text)) for name, value in traced.static]
    parts += [(OPTION + name, stable_text(text)) for name, text in traced.options]
    parts.append((CONVENTION, ", ".join((f"{traced.positional} by position", *traced.keywords))))
    return tuple(parts)


def _aval_text(traced: Traced, index: int) -> str:
    aval = traced.avals[index]
    return " ".join(text for text in (text_from_aval(aval), aval.sharding, aval.extra) if text)


def _tree_parts(tree: TreeNode, path: str) -> Iterator[Part]:
    """Nodes and their static data; depth is bounded by the ledger's decoder, and by no recursion here."""
    waiting = [(tree, path)]
    while waiting:
        node, at = waiting.pop()
        if node.kind == LEAF:
            continue
        yield at, f"{node.kind} of {len(node.children)}" if node.children else node.kind
        for name, value in node.metadata:
            yield f"{at}.{name}" if name else f"{at} metadata", stable_text(value.text)
        children = zip(node.keys, node.children, strict=False)
        waiting += [(child, at + key) for key, child in children]


def changed_parts(before: RunKey, after: RunKey, ignored: frozenset[str] = frozenset()) -> tuple[ChangedPart, ...]:
    """What differs between two keys; settings that only one JAX has are left out.

    Args:
        before: The key of the first run.
        after: The key of the second run.
        ignored: Settings that are left out too.
    """
    changed = part_changes(dict(before.parts), dict(after.parts))
    old, new = dict(before.context), dict(after.context)
    shared = (old.keys() & new.keys()) - ignored
    changed += part_changes({n: old[n] for n in old if n in shared}, {n: new[n] for n in new if n in shared})
    return tuple(changed)


def part_changes(before: dict[str, str], after: dict[str, str]) -> list[ChangedPart]:
    """The parts whose text differs, or that only one has."""
    return [
        ChangedPart(name=name, before=before.get(name, ABSENT), after=after.get(name, ABSENT))
        for name in dict.fromkeys((*before, *after))
        if before.get(name, ABSENT) != after.get(name, ABSENT)
    ]
