"""A Python value that JAX put into a key, described without keeping it alive."""

from typing import Literal

import msgspec

type ComparedBy = Literal["value", "identity", "hash", "nothing"]


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A static argument, a captured value or a piece of pytree metadata.

    Two values are the same part of a key exactly if ``type_name`` and ``token`` agree.

    Attributes:
        type_name: Qualified name of the type.
        text: Short text for people; the type's name alone where values are redacted.
        token: Equal for values that JAX takes as equal: the value itself or its digest (``value``), the number of the
            object (``identity``), or the hash that the object gave (``hash``).
        compared_by: How JAX tells two such values apart; ``nothing`` for values that cannot be hashed.
        content: Digest of the description (fields included), to tell a new object with equal fields from another.
        fields: Attributes or items, described in turn; depth and number are bounded.
        source: Where a function or class among the values is defined, as ``file:line``.
        import_path: Where the function or class, or the class of the object, can be imported from: ``module:name``.
    """

    type_name: str
    text: str
    token: str
    compared_by: ComparedBy = "value"
    content: str = ""
    fields: tuple[tuple[str, "Value"], ...] = ()
    source: str = ""
    import_path: str = ""


class Captured(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A value that a function object carries with it.

    Attributes:
        name: As the user wrote it: the free variable, the partial's keyword or parameter, the attribute.
        kind: Where it is kept.
        value: Its description.
    """

    name: str
    kind: Literal["closure", "partial", "default", "owner", "global", "parameter"]
    value: Value
