"""The places of the leaves of two calls held against each other."""

from typing import Literal

import msgspec

from stagelight.attribution.leaf_changes import path_at
from stagelight.model.placement import Placement
from stagelight.model.structure import Structure

type PlacementKind = Literal["host", "committed", "sharding", "device", "layout"]


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """Where each leaf of one call lives.

    Attributes:
        distinct: The distinct placements.
        index: For each leaf the index into them; empty where all leaves share the first.
    """

    distinct: tuple[Placement, ...] = ()
    index: tuple[int, ...] = ()

    def of(self, leaf: int) -> Placement | None:
        """The placement of one leaf, None where the ledger does not hold it."""
        at = self.index[leaf] if leaf < len(self.index) else 0
        return self.distinct[at] if at < len(self.distinct) else None


class PlacementChange(msgspec.Struct, frozen=True, kw_only=True):
    """One way in which one leaf is placed otherwise."""

    kind: PlacementKind
    path: str
    before: str
    after: str


def placement_changes(before: Places, after: Places, leaves: int, structure: Structure) -> tuple[PlacementChange, ...]:
    """Every way in which a leaf is placed otherwise.

    Args:
        before: Places of the earlier call.
        after: Places of this call.
        leaves: How many leaves there are.
        structure: Structure of both calls, for the paths.
    """
    if before == after:
        return ()
    found: list[PlacementChange] = []
    for leaf in range(leaves):
        old, new = before.of(leaf), after.of(leaf)
        if old is None or new is None or old == new or "tracer" in (old.kind, new.kind):
            continue
        path = path_at(structure, leaf)
        found += [PlacementChange(kind=kind, path=path, before=a, after=b) for kind, a, b in changes_of_leaf(old, new)]
    return tuple(found)


def changes_of_leaf(old: Placement, new: Placement) -> list[tuple[PlacementKind, str, str]]:
    """Every way in which one leaf is placed otherwise.

    A host value becomes an uncommitted array on the default device (``jax/_src/interpreters/pxla.py: shard_args``),
    so against it only a committed array is placed otherwise.
    """
    found: list[tuple[PlacementKind, str, str]] = []
    if old.kind != new.kind:
        found.append(("host", kind_text(old), kind_text(new)))
    elif old.kind == "host":
        return [("host", old.type_name, new.type_name)] if old.type_name != new.type_name else []
    if old.committed != new.committed:
        found.append(("committed", committed_text(old), committed_text(new)))
    if old.kind == new.kind:
        if old.devices != new.devices and old.devices.count(",") == new.devices.count(","):
            found.append(("device", old.devices, new.devices))
        elif old.sharding != new.sharding:
            found.append(("sharding", old.sharding, new.sharding))
        if old.layout != new.layout:
            found.append(("layout", old.layout or "default layout", new.layout or "default layout"))
    return found


def kind_text(placement: Placement) -> str:
    """What a leaf is, in the user's words."""
    return "jax.Array" if placement.kind == "array" else placement.type_name


def committed_text(placement: Placement) -> str:
    """Whether a leaf is committed, in the words of JAX's documentation."""
    if placement.kind == "host":
        return f"uncommitted ({placement.type_name})"
    if not placement.committed:
        return "uncommitted"
    return f"committed to {placement.devices or placement.sharding}"
