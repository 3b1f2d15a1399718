"""``jnp.nonzero(x)`` and its kin → the same with ``size=`` the largest possible."""

import ast

from stagelight.adapters.failure_slug import called_name
from stagelight.repair.failing import Failing
from stagelight.repair.refusal import Refusal

_SIZED = frozenset({"nonzero", "where", "argwhere", "flatnonzero"})


def result_with_size(failing: Failing) -> str:
    """Give the failing search the size of what it searches, with an index outside as filling.

    Updates drop indexes outside the array, so that ``x.at[jnp.nonzero(m, size=…)].set(v)`` stays what it was.

    Raises:
        Refusal: The failing expression is no such search.
    """
    call = failing.node
    if not isinstance(call, ast.Call) or called_name(call) not in _SIZED or len(call.args) != 1 or call.keywords:
        reason = "the result's shape depends on data"
        raise Refusal(reason)
    searched = failing.source.text_of(call.args[0])
    function = failing.source.text_of(call.func)
    size = f"{failing.names.numpy}.size({searched})"
    return failing.source.with_node(call, f"{function}({searched}, size={size}, fill_value={size})")
