"""Pytree structure of the arguments of one call, with the static data of its nodes."""

import msgspec

from stagelight.model.value import Value

NNX_OBJECT = "flax.nnx"


class TreeNode(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One node of a pytree; a leaf has kind ``*``, ``None`` has kind ``None``.

    Attributes:
        kind: Name of the node's type (``dict``, ``list``, ``tuple``, a class), or ``*`` for a leaf.
        keys: Path of each child below this node, as written in Python: ``['w']``, ``[0]``, ``.weight``.
        children: The child nodes, one for each key.
        metadata: Static data of the node by field name; the part of the key that is not data.
        type_path: Where the node's class can be imported from, ``module:Class``; ``flax.nnx`` for an object that NNX
            has taken apart; empty for builtin kinds and where it cannot be told.
    """

    kind: str
    keys: tuple[str, ...] = ()
    children: tuple["TreeNode", ...] = ()
    metadata: tuple[tuple[str, Value], ...] = ()
    type_path: str = ""


class Structure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Structure of all dynamic arguments of a call.

    Attributes:
        arguments: Per dynamic argument: the parameter's name, and its tree. Positional ones first, in call order.
        paths: Path of each leaf as the user wrote it (``params['layers'][1]['w']``), in JAX's leaf order.
    """

    arguments: tuple[tuple[str, TreeNode], ...]
    paths: tuple[str, ...]
