"""The key of one trace as a lock file holds it: named parts whose texts mean the same in every process."""

import hashlib
import re

from stagelight.model.aval import text_from_aval
from stagelight.model.event import Traced
from stagelight.model.lock import KeyPart
from stagelight.model.structure import Structure, TreeNode
from stagelight.model.value import Value

CONVENTION = "calling convention"
SETTING = "setting "
STATIC = "static "

# Addresses tell objects of one process apart and mean nothing in another.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
# Lines move with every edit above them.
_PLACE = re.compile(r" at [^<>\s]+:\d+(?=>)")
_CUT = "…"


def locked_key(traced: Traced, structure: Structure, settings: tuple[tuple[str, str], ...] = ()) -> tuple[KeyPart, ...]:
    """The parts of the key of one trace, sorted by name.

    The function object is none of them, and values that are told apart by identity are described by their contents:
    both differ from process to process.

    Args:
        traced: The trace.
        structure: Its pytree structure.
        settings: The settings of the trace context that belong to the key.
    """
    parts = {CONVENTION: ", ".join([f"{traced.positional} by position", *(f"{k}=" for k in traced.keywords)])}
    for name, tree in structure.arguments:
        parts |= _node_parts(name, tree)
    for path, aval in zip(structure.paths, traced.avals, strict=False):
        parts[path] = " ".join(text for text in (text_from_aval(aval), aval.sharding, aval.extra) if text)
    for name, value in traced.static:
        parts[STATIC + name] = _value_text(value)
    for name, text in settings:
        parts[SETTING + name] = portable(text)
    return tuple(KeyPart(name, text) for name, text in sorted(parts.items()))


def _node_parts(path: str, tree: TreeNode) -> dict[str, str]:
    """What is in the key of a tree, but for its leaves: kinds, lengths, keys and static data."""
    parts: dict[str, str] = {}
    waiting = [(path, tree)]
    while waiting:
        at, node = waiting.pop()
        if node.kind == "*":
            continue
        parts[at] = f"{node.kind} of {len(node.children)}" if node.children else node.kind
        for name, value in node.metadata:
            parts[f"{at}.{name}"] = _value_text(value)
        waiting += [(at + key, child) for key, child in zip(node.keys, node.children, strict=False)]
    return parts


def _value_text(value: Value) -> str:
    """A value by type and contents, never by identity, hash or line number; functions by name."""
    text = portable(value.text)
    if value.compared_by == "value" and _CUT not in text:
        return f"{text} ({value.type_name})"
    content = "" if is_function(value) else content_of(value)
    return f"{text} ({' '.join(part for part in (value.type_name, content) if part)})"


def is_function(value: Value) -> bool:
    """Whether a value is a function or class, which its name stands for."""
    return bool(value.source) and not value.fields


def content_of(value: Value) -> str:
    """A digest of what a value holds, the same wherever its functions are defined; empty where that is not known."""
    if is_function(value):
        return portable(value.text)
    if not value.fields:
        return value.token if value.compared_by == "value" else value.content
    text = "|".join(f"{name}={field.type_name}:{content_of(field)}" for name, field in value.fields)
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()


def portable(text: str) -> str:
    """A text without addresses and without places in source.

    >>> portable("<AxisEnv object at 0x7f92eaae2710>"), portable("Layer(act=<relu at functions.py:72>)")
    ('<AxisEnv object>', 'Layer(act=<relu>)')
    """
    return _PLACE.sub("", _ADDRESS.sub("", text))
