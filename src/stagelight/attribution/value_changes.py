"""Two descriptions of a Python value held against each other, down to the field that differs."""

from typing import Literal

import msgspec

from stagelight.model.value import Value

type ValueChangeKind = Literal["value", "recreated", "unstable"]

DEEPEST = 5
MOST_FIELDS = 4


class ValueChange(msgspec.Struct, frozen=True, kw_only=True):
    """One value that differs.

    Attributes:
        path: Where, from the name of the argument down to the field.
        before: What it was.
        after: What it is.
        kind: ``value``: it differs; ``recreated``: an equal object that is told apart by identity; ``unstable``: an
            equal object whose hash differs.
        told_apart_by: How JAX tells the whole value from an equal one, where not by its contents.
    """

    path: str
    before: str
    after: str
    kind: ValueChangeKind = "value"
    told_apart_by: Literal["", "identity", "hash"] = ""


def is_same_part(before: Value, after: Value) -> bool:
    """Whether JAX takes the two as the same part of a key."""
    return before.token == after.token and before.type_name == after.type_name


def is_alike(before: Value, after: Value) -> bool:
    """Whether the two are the same part of a key, or equal in everything that was described."""
    if is_same_part(before, after):
        return True
    return bool(after.content) and before.content == after.content and before.type_name == after.type_name


def joined(path: str, name: str) -> str:
    """A field's path below another, as Python writes it.

    >>> joined("cfg", "width"), joined("cfg.sizes", "[0]")
    ('cfg.width', 'cfg.sizes[0]')
    """
    return path + name if not path or name[:1] in ("[", ".") else f"{path}.{name}"


def value_changes(path: str, before: Value, after: Value) -> tuple[ValueChange, ...]:
    """Everything that differs between two values; empty exactly if they are the same part of a key.

    >>> two = Value(type_name="int", text="2", token="2")
    >>> three = Value(type_name="int", text="3", token="3")
    >>> value_changes("n", two, three)[0].after
    '3'
    """
    if is_same_part(before, after):
        return ()
    by: Literal["", "identity", "hash"] = after.compared_by if after.compared_by in ("identity", "hash") else ""
    if is_alike(before, after):
        text_before, text_after = texts(before, after)
        kind: ValueChangeKind = "unstable" if after.compared_by == "hash" else "recreated"
        return (ValueChange(path=path, before=text_before, after=text_after, kind=kind, told_apart_by=by),)
    return tuple(
        ValueChange(path=at, before=old, after=new, told_apart_by=by)
        for at, old, new in field_changes(path, before, after, DEEPEST)
    )


def field_changes(path: str, before: Value, after: Value, depth: int) -> list[tuple[str, str, str]]:
    """The deepest fields that differ, or the whole value where no single field tells more."""
    whole = [(path, *texts(before, after))]
    if depth == 0 or before.type_name != after.type_name or not before.fields or not after.fields:
        return whole
    old = dict(before.fields)
    new = dict(after.fields)
    if old.keys() != new.keys():
        return whole
    found: list[tuple[str, str, str]] = []
    for name, value in new.items():
        if not is_alike(old[name], value):
            found += field_changes(joined(path, name), old[name], value, depth - 1)
            if len(found) > MOST_FIELDS:
                return whole
    return found or whole


def texts(before: Value, after: Value) -> tuple[str, str]:
    """Both texts, with the types where the texts alone look the same.

    >>> one = Value(type_name="int", text="1", token="1")
    >>> texts(one, Value(type_name="numpy.int64", text="1", token="1"))
    ('1 (int)', '1 (numpy.int64)')
    """
    if before.text != after.text or before.type_name == after.type_name:
        return before.text, after.text
    return f"{before.text} ({before.type_name})", f"{after.text} ({after.type_name})"
