"""One distinct call of a function, as far as it decides what is traced and compiled."""

import msgspec

from stagelight.model.aval import Aval
from stagelight.model.placement import Placement
from stagelight.model.structure import TreeNode


class StaticText(msgspec.Struct, frozen=True, array_like=True):
    """A static argument: its name, its type's name, and its value as Python would write it."""

    name: str
    type_name: str
    text: str


class RecordedCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call that a ledger or a lock file holds, from which the same call can be made again without its data.

    Attributes:
        function: Plain name of the function.
        qualname: Its qualified name.
        parameters: Names of its parameters, in order.
        positional: Number of positional arguments, static ones included.
        keywords: Names of the keyword arguments.
        arguments: Each dynamic argument's name and tree, positional ones first.
        avals: One for each leaf, in the order of the trees.
        static: Static arguments.
        placements: Where each leaf lived, where that is known.
    """

    function: str
    qualname: str
    parameters: tuple[str, ...] = ()
    positional: int = 0
    keywords: tuple[str, ...] = ()
    arguments: tuple[tuple[str, TreeNode], ...] = ()
    avals: tuple[Aval, ...] = ()
    static: tuple[StaticText, ...] = ()
    placements: tuple[Placement, ...] = ()
