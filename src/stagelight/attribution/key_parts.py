"""The parts of a key by name, as columns of a table and as members of a combination."""

from collections.abc import Hashable

from stagelight.attribution.convention_changes import NO_CHANGES
from stagelight.attribution.definitions import Definitions
from stagelight.attribution.difference import Difference
from stagelight.attribution.key import CONVENTION, Key, static_tokens
from stagelight.attribution.leaf_changes import path_at

FUNCTION_OBJECT = "function object"
CONVENTION_PART = "calling convention"
STRUCTURE_PART = "structure"
STATIC_PREFIX = "static "

MOST_SEEN = 1 << 16
MOST_COUNTED = 512

type Part = tuple[str, Hashable]


def all_parts(key: Key, definitions: Definitions) -> list[Part]:
    """Every part of a key by name, but for the function object."""
    structure = definitions.structure(key.structure)
    parts: list[Part] = [
        (CONVENTION_PART, (key.positional, key.keywords)),
        (STRUCTURE_PART, key.structure),
        *((path_at(structure, i), aval) for i, aval in enumerate(key.avals)),
        *((STATIC_PREFIX + token[0], token[1:]) for token in static_tokens(key.static)),
        *definitions.context(key.context),
    ]
    return parts


def changed_parts(change: Difference, nearest: Key, key: Key, definitions: Definitions) -> list[Part]:
    """The parts of ``key`` that differ from its nearest earlier key, but for the function object."""
    if change.other_structure or nearest.digests[CONVENTION] != key.digests[CONVENTION]:
        earlier = set(all_parts(nearest, definitions))
        return [part for part in all_parts(key, definitions) if part not in earlier]
    parts: list[Part] = [(leaf.path, leaf.after) for leaf in change.leaves]
    if change.static or len(nearest.static) != len(key.static):
        earlier_static = set(static_tokens(nearest.static))
        parts += [
            (STATIC_PREFIX + token[0], token[1:]) for token in static_tokens(key.static) if token not in earlier_static
        ]
    parts += [(setting.name, setting.after) for setting in change.context]
    return parts


def changed_names(change: Difference) -> tuple[str, ...]:
    """Names of everything that differs, as columns of a table."""
    names = [FUNCTION_OBJECT] if change.other_object else []
    if change.convention != NO_CHANGES:
        names.append(CONVENTION_PART)
    names += [node.path for node in change.nodes]
    names += [field.path for field in change.metadata]
    names += [leaf.path for leaf in change.leaves]
    names += [STATIC_PREFIX + value.path.partition(".")[0].partition("[")[0] for value in change.static]
    names += [setting.name for setting in change.context]
    if change.other_structure and not change.nodes and not change.metadata:
        names.append(STRUCTURE_PART)
    return tuple(dict.fromkeys(names))


class SeenParts:
    """Which values each part of a function's keys had, and how many of them.

    Both are bounded: beyond, a value counts as never seen, and no combination is claimed.
    """

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self.counts: dict[str, int] = {}

    def are_seen(self, parts: list[Part]) -> bool:
        """Whether each of these parts had exactly this value before."""
        return bool(parts) and all(hash(part) in self._seen for part in parts)

    def add(self, parts: list[Part]) -> None:
        """Remember these values."""
        for part in parts:
            digest = hash(part)
            if digest in self._seen or len(self._seen) >= MOST_SEEN:
                continue
            self._seen.add(digest)
            name = part[0]
            if name in self.counts or len(self.counts) < MOST_COUNTED:
                self.counts[name] = self.counts.get(name, 0) + 1

    def varied(self) -> list[tuple[str, int]]:
        """The parts that had more than one value, with how many, most first."""
        return sorted(((n, c) for n, c in self.counts.items() if c > 1), key=lambda item: -item[1])
