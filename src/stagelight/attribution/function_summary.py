"""All that is known of one function when the ledger ends."""

import msgspec

from stagelight.attribution.growth import Growth
from stagelight.model.function import Function
from stagelight.model.site import Site


class FunctionSummary(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of one function when the ledger ends.

    Attributes:
        function: The function.
        specializations: How many it has.
        objects: How many function objects were traced.
        varied: The key parts that had more than one value, with how many, most first.
        growing: Axes that grew in a row.
        calls: Calls of it, None where they were not counted.
        calls_by_argument: Calls by the aval of their first array argument.
        specializations_by_argument: Specializations by the aval of their first array argument.
    """

    function: Function
    specializations: int = 0
    objects: int = 1
    varied: tuple[tuple[str, int], ...] = ()
    growing: tuple[Growth, ...] = ()
    calls: int | None = None
    calls_by_argument: tuple[tuple[str, int], ...] = ()
    specializations_by_argument: tuple[tuple[str, int], ...] = ()


def definition_site(function: Function) -> Site:
    """Where a function is defined."""
    return Site(function.file, function.line, function.qualname)


def is_of_jax(function: Function) -> bool:
    """Whether a function is JAX's own: an eager operation, or what ``jax.numpy`` jits inside.

    Such a function has as many specializations as its callers ask for, so advice belongs to them.
    """
    return function.kind == "eager" or function.module == "jax" or function.module.startswith("jax.")
