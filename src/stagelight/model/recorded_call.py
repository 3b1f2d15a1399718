"""One distinct call of a function, as far as it decides what is traced and compiled."""

import msgspec

from stagelight.model.aval import Aval
from stagelight.model.placement import Placement
from stagelight.model.structure import TreeNode
from stagelight.model.value import Value


class RecordedCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call that a ledger or a lock file holds, from which the same call can be made again without its data.

    Attributes:
        function: Plain name of the function.
        qualname: Its qualified name.
        parameters: Names of its parameters, in order.
        positional: Number of positional arguments, static ones included.
        keywords: Names of the keyword arguments.
        arguments: Each dynamic argument's name and tree, positional ones first.
        is_ordered: Whether the positional ones are known to stand in their order.
        avals: One for each leaf, in the order of the trees.
        paths: Path of each leaf, in the order of the avals.
        static: Static arguments by name, and leaves that are no arrays by path.
        placements: Where each leaf lived, where that is known.
    """

    function: str
    qualname: str
    parameters: tuple[str, ...] = ()
    positional: int = 0
    keywords: tuple[str, ...] = ()
    arguments: tuple[tuple[str, TreeNode], ...] = ()
    is_ordered: bool = True
    avals: tuple[Aval, ...] = ()
    paths: tuple[str, ...] = ()
    static: tuple[tuple[str, Value], ...] = ()
    placements: tuple[Placement, ...] = ()
