"""A cache key in words that mean the same in another run: no digests, no object numbers."""

import re
from collections.abc import Iterator

import msgspec

from stagelight.model.aval import text_from_aval
from stagelight.model.event import Traced
from stagelight.model.structure import Structure, TreeNode

type Part = tuple[str, str]

STATIC = "static "
OPTION = "option "
CONVENTION = "calling convention"
ABSENT = "–"

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class RunKey(msgspec.Struct, frozen=True, kw_only=True):
    """One key of one function in one run.

    Attributes:
        parts: Name and text of each part but the trace context: leaves by path, static data of pytree nodes, static
            arguments, options of the jit, the calling convention.
        context: Name and text of each setting of the trace context.
        seconds: What its trace and compiles cost.
        components: Digest of each component of the persistent cache's key, where it was compiled.
    """

    parts: tuple[Part, ...]
    context: tuple[Part, ...] = ()
    seconds: float = 0.0
    components: tuple[Part, ...] = ()


class ChangedPart(msgspec.Struct, frozen=True, kw_only=True):
    """One part that differs between two keys."""

    name: str
    before: str
    after: str


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
    """Static data below a node, and nodes that hold no leaf; depth is bounded by the ledger's decoder."""
    for name, value in tree.metadata:
        yield f"{path}.{name}" if name else path, stable_text(value.text)
    if not tree.children and tree.kind != "*":
        yield path, tree.kind
    for key, child in zip(tree.keys, tree.children, strict=False):
        yield from _tree_parts(child, path + key)


def changed_parts(before: RunKey, after: RunKey) -> tuple[ChangedPart, ...]:
    """What differs between two keys; settings that only one JAX has are left out."""
    changed = _changes(dict(before.parts), dict(after.parts))
    old, new = dict(before.context), dict(after.context)
    shared = old.keys() & new.keys()
    changed += _changes({n: t for n, t in old.items() if n in shared}, {n: t for n, t in new.items() if n in shared})
    return tuple(changed)


def _changes(before: dict[str, str], after: dict[str, str]) -> list[ChangedPart]:
    return [
        ChangedPart(name=name, before=before.get(name, ABSENT), after=after.get(name, ABSENT))
        for name in dict.fromkeys((*before, *after))
        if before.get(name, ABSENT) != after.get(name, ABSENT)
    ]
