"""What a changed call's trace differs in from the base call, whatever else the function was traced for before."""

from collections.abc import Callable
from typing import Any

from stagelight.attribution.attributor import Attributor
from stagelight.model.attribution import Cause
from stagelight.model.event import Before, ContextSeen, Event, FunctionSeen, StructureSeen, Traced
from stagelight.model.ledger import JaxSeen

# Causes that are no difference from another key: a comparison with the base alone would hide them.
NO_DIFFERENCE = frozenset(
    {"first-trace", "inspected", "under-transformation", "cache-cleared", "cache-evicted", "earlier-trace-failed"}
)


class BaseComparison:
    """Remembers the traces of the base call, and holds later ones against them alone.

    Args:
        is_base: Whether a trace that was made before the experiment is of the base call.
    """

    def __init__(self, is_base: Callable[[Traced], bool]) -> None:
        self._is_base = is_base
        self._definitions: list[Event | JaxSeen] = []
        self._base: dict[int, Traced] = {}
        self._traced: dict[int, Traced] = {}

    def read(self, entry: Event | JaxSeen, *, base_runs: bool) -> None:
        """Take in an entry of the ledger.

        Args:
            entry: The entry.
            base_runs: Whether the base call made it.
        """
        if isinstance(entry, FunctionSeen | StructureSeen | ContextSeen | JaxSeen):
            self._definitions.append(entry)
        elif isinstance(entry, Before) and isinstance(entry.entry, Traced):
            if self._is_base(entry.entry):
                self._base.setdefault(entry.entry.function, entry.entry)
        elif isinstance(entry, Traced):
            self._traced[entry.trace] = entry
            if base_runs:
                self._base[entry.function] = entry

    def causes(self, trace: int, otherwise: tuple[Cause, ...]) -> tuple[Cause, ...]:
        """Why a trace happened, given the base call alone.

        Args:
            trace: Its number.
            otherwise: Why it happened, given everything; the answer where the base call's trace is not known.
        """
        traced = self._traced.get(trace)
        base = self._base.get(traced.function) if traced is not None else None
        if traced is None or base is None or any(cause.slug in NO_DIFFERENCE for cause in otherwise):
            return otherwise
        attributor = Attributor()
        for entry in (*self._definitions, base):
            attributor.feed(entry)
        found = attributor.preview(traced)
        return otherwise if any(cause.slug in NO_DIFFERENCE for cause in found) else found


def aval_marks(tree: Any) -> list[tuple[Any, ...]]:
    """Shape, dtype and weak type of each leaf, in an order of their own.

    >>> aval_marks([1.0])
    [((), 'float32', True)]
    """
    import jax

    avals = [jax.typeof(leaf) for leaf in jax.tree_util.tree_leaves(tree)]
    return sorted((tuple(a.shape), str(a.dtype), bool(getattr(a, "weak_type", False))) for a in avals)
