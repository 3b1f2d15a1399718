"""Everything in which two keys of one function differ, in the user's names."""

import msgspec

from stagelight.attribution.convention_changes import NO_CHANGES, ConventionChanges, convention_changes
from stagelight.attribution.definitions import Definitions
from stagelight.attribution.key import AVALS, CONTEXT, CONVENTION, OBJECT, STATIC, STRUCTURE, Key
from stagelight.attribution.leaf_changes import LeafChange, leaf_changes
from stagelight.attribution.tree_changes import NodeChange, may_differ, tree_changes
from stagelight.attribution.value_changes import ValueChange, value_changes
from stagelight.model.aval import text_from_aval
from stagelight.model.structure import Structure
from stagelight.model.value import Captured


class SettingChange(msgspec.Struct, frozen=True, kw_only=True):
    """One setting of the trace context that differs."""

    name: str
    before: str
    after: str


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Everything in which a key differs from an earlier one.

    Attributes:
        other_object: Whether the function object is another one.
        other_structure: Whether the digests of the structures differ.
        leaves: Leaves whose aval differs.
        nodes: Pytree nodes of another kind, keys or length.
        metadata: Static data of pytree nodes that differs.
        convention: How the arguments are passed.
        static: Static arguments that differ.
        context: Settings that differ.
        captured: Captured values that differ, but for globals: a new function object reads the same ones.
        owner: The owner of a bound method, where it is another one.
    """

    other_object: bool = False
    other_structure: bool = False
    leaves: tuple[LeafChange, ...] = ()
    nodes: tuple[NodeChange, ...] = ()
    metadata: tuple[ValueChange, ...] = ()
    convention: ConventionChanges = NO_CHANGES
    static: tuple[ValueChange, ...] = ()
    context: tuple[SettingChange, ...] = ()
    captured: tuple[ValueChange, ...] = ()
    owner: tuple[ValueChange, ...] = ()


NO_DIFFERENCE = Difference()


def difference(before: Key, after: Key, definitions: Definitions, parameters: tuple[str, ...]) -> Difference:
    """Everything in which ``after`` differs from ``before``.

    Args:
        before: The earlier key.
        after: This key.
        definitions: What the digests in the keys stand for.
        parameters: Names of the function's parameters.
    """
    differs = tuple(a != b for a, b in zip(before.digests, after.digests, strict=True))
    old, new = definitions.structure(before.structure), definitions.structure(after.structure)
    other_form = differs[CONVENTION] or differs[STRUCTURE]
    names_differ = before.static != after.static and {n for n, _ in before.static} != {n for n, _ in after.static}
    convention = convention_changes(before, after, old, new, parameters) if other_form or names_differ else NO_CHANGES
    nodes: tuple[NodeChange, ...] = ()
    metadata: tuple[ValueChange, ...] = ()
    if other_form:
        nodes, metadata = argument_changes(before, after, old, new)
    return Difference(
        other_object=differs[OBJECT],
        other_structure=differs[STRUCTURE],
        leaves=leaf_changes(before.avals, after.avals, old, new) if differs[AVALS] or other_form else (),
        nodes=nodes,
        metadata=metadata,
        convention=convention,
        static=static_changes(before, after) if differs[STATIC] else (),
        context=setting_changes(before, after, definitions) if differs[CONTEXT] else (),
        captured=captured_changes(before.captured, after.captured, of_owner=False) if differs[OBJECT] else (),
        owner=captured_changes(before.captured, after.captured, of_owner=True) if differs[OBJECT] else (),
    )


def argument_changes(
    before: Key, after: Key, old: Structure, new: Structure
) -> tuple[tuple[NodeChange, ...], tuple[ValueChange, ...]]:
    """Changes of tree in the arguments that both calls pass."""
    texts = (leaf_texts(before, old), leaf_texts(after, new))
    earlier = dict(old.arguments)
    nodes: list[NodeChange] = []
    metadata: list[ValueChange] = []
    for name, tree in new.arguments:
        if name in earlier and may_differ(earlier[name], tree):
            changes = tree_changes(name, earlier[name], tree, texts)
            nodes += changes.nodes
            metadata += changes.metadata
    return tuple(nodes), tuple(metadata)


def leaf_texts(key: Key, structure: Structure) -> dict[str, str]:
    """Text of each leaf's aval by its path."""
    return {path: text_from_aval(aval) for path, aval in zip(structure.paths, key.avals, strict=False)}


def static_changes(before: Key, after: Key) -> tuple[ValueChange, ...]:
    """Static arguments that both calls pass and that differ."""
    earlier = dict(before.static)
    return tuple(
        change
        for name, value in after.static
        if name in earlier
        for change in value_changes(name, earlier[name], value)
    )


def setting_changes(before: Key, after: Key, definitions: Definitions) -> tuple[SettingChange, ...]:
    """Settings of the trace context that differ."""
    earlier, now = dict(definitions.context(before.context)), dict(definitions.context(after.context))
    return tuple(
        SettingChange(name=name, before=earlier.get(name, "absent"), after=now.get(name, "absent"))
        for name in {**earlier, **now}
        if earlier.get(name) != now.get(name)
    )


def captured_changes(
    before: tuple[Captured, ...], after: tuple[Captured, ...], *, of_owner: bool
) -> tuple[ValueChange, ...]:
    """Captured values that differ: those of the owner of a bound method, or all others."""
    earlier = {(c.kind, c.name): c.value for c in before}
    found: list[ValueChange] = []
    for c in after:
        if c.kind == "global" or (c.kind == "owner") != of_owner:
            continue
        old = earlier.get((c.kind, c.name))
        if old is None:
            found.append(ValueChange(path=c.name, before="absent", after=c.value.text))
        else:
            found += value_changes(c.name, old, c.value)
    return tuple(found)
