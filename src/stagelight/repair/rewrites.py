"""The rewrites, in the order in which they are tried: the least intrusive first."""

from collections.abc import Callable
from typing import NamedTuple

from stagelight.repair.array_update import assignment_with_at, mask_update_with_where
from stagelight.repair.branch import branch_with_cond, branch_with_where
from stagelight.repair.carry_dtype import start_with_dtype
from stagelight.repair.failing import Failing
from stagelight.repair.host_numpy import numpy_with_jnp
from stagelight.repair.logical import logical_with_jnp
from stagelight.repair.loop import for_with_fori_loop, while_with_while_loop
from stagelight.repair.result_size import result_with_size


class Rewrite(NamedTuple):
    """One way to rewrite a failing expression.

    Attributes:
        kind: Public name.
        title: What it does.
        slugs: The failures it is for.
        rewrite: From a failure to the new text of the file.
    """

    kind: str
    title: str
    slugs: frozenset[str]
    rewrite: Callable[[Failing], str]


_TRUTH = frozenset({"traced-condition", "traced-bool-op"})

REWRITES: tuple[Rewrite, ...] = (
    Rewrite("logical", "combine conditions with jax.numpy", _TRUTH, logical_with_jnp),
    Rewrite("where", "choose between values with jnp.where", _TRUTH, branch_with_where),
    Rewrite("cond", "choose between computations with lax.cond", _TRUTH, branch_with_cond),
    Rewrite("while_loop", "loop with lax.while_loop", _TRUTH, while_with_while_loop),
    Rewrite("fori_loop", "loop with lax.fori_loop", frozenset({"traced-index-or-range"}), for_with_fori_loop),
    Rewrite("at", "update the array with .at[]", frozenset({"traced-setitem"}), assignment_with_at),
    Rewrite("where", "select with jnp.where", frozenset({"data-dependent-shape"}), mask_update_with_where),
    Rewrite("size", "give the result a fixed size", frozenset({"data-dependent-shape"}), result_with_size),
    Rewrite("jnp", "use jax.numpy", frozenset({"numpy-on-traced", "traced-concretize"}), numpy_with_jnp),
    Rewrite("dtype", "give the start value the loop's dtype", frozenset({"carry-type-differs"}), start_with_dtype),
)


def rewrites_for(slug: str) -> tuple[Rewrite, ...]:
    """Rewrites for a failure, in order."""
    return tuple(r for r in REWRITES if slug in r.slugs)
