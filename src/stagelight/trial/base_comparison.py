"""What a changed call's trace differs in from the base call, whatever else the function was traced for before."""

from collections.abc import Callable, Mapping
from typing import Any

from stagelight.attribution.attributor import Attributor
from stagelight.model.attribution import Cause
from stagelight.model.event import Before, ContextSeen, Event, FunctionSeen, StructureSeen, Traced
from stagelight.model.ledger import JaxSeen
from stagelight.model.structure import Structure, TreeNode
from stagelight.recorder.structures import arguments_from_trees, structure_from_arguments
from stagelight.recorder.value_description import ValueDescriber
from stagelight.trial.made_call import Call

# Causes that are no difference from another key: a comparison with the base alone would hide them.
NO_DIFFERENCE = frozenset(
    {"first-trace", "inspected", "under-transformation", "cache-cleared", "cache-evicted", "earlier-trace-failed"}
)


class BaseComparison:
    """Remembers the traces of the base call, and holds later ones against them alone.

    Args:
        is_base: Whether a trace that was made before the experiment, with its structure, is of the base call.
    """

    def __init__(self, is_base: Callable[[Traced, Structure], bool]) -> None:
        self._is_base = is_base
        self._definitions: list[Event | JaxSeen] = []
        self._structures: dict[str, Structure] = {}
        self._base: dict[int, list[Traced]] = {}
        self._traced: dict[int, Traced] = {}

    def read(self, entry: Event | JaxSeen, *, base_runs: bool) -> None:
        """Take in an entry of the ledger.

        Args:
            entry: The entry.
            base_runs: Whether the base call made it.
        """
        if isinstance(entry, FunctionSeen | StructureSeen | ContextSeen | JaxSeen):
            self._definitions.append(entry)
            if isinstance(entry, StructureSeen):
                self._structures[entry.digest] = entry.structure
        elif isinstance(entry, Before) and isinstance(entry.entry, Traced):
            structure = self._structures.get(entry.entry.structure)
            if structure is not None and self._is_base(entry.entry, structure):
                self._base.setdefault(entry.entry.function, []).append(entry.entry)
        elif isinstance(entry, Traced):
            self._traced[entry.trace] = entry
            if base_runs:
                self._base.setdefault(entry.function, []).append(entry)

    def causes(self, trace: int, otherwise: tuple[Cause, ...]) -> tuple[Cause, ...]:
        """Why a trace happened, given the base call alone.

        Args:
            trace: Its number.
            otherwise: Why it happened, given everything; the answer where the base call's trace is not known.
        """
        traced = self._traced.get(trace)
        base = self._base_of(traced) if traced is not None else None
        if traced is None or base is None or any(cause.slug in NO_DIFFERENCE for cause in otherwise):
            return otherwise
        attributor = Attributor()
        for entry in (*self._definitions, base):
            attributor.feed(entry)
        found = attributor.preview(traced)
        return otherwise if any(cause.slug in NO_DIFFERENCE for cause in found) else found

    def _base_of(self, traced: Traced) -> Traced | None:
        """The base call's trace of the same function; the latest in the same trace context, where there is one."""
        known = self._base.get(traced.function, [])
        same = [one for one in known if one.context == traced.context]
        return (same or known or [None])[-1]


def has_key_of(
    traced: Traced, structure: Structure, call: Call, names: Mapping[str, int | str], describer: ValueDescriber
) -> bool:
    """Whether a trace has the key of a call, as far as structure, avals, static values and calling convention tell.

    Args:
        traced: The trace.
        structure: Its pytree structure.
        call: The call.
        names: Position or keyword of each of the call's arguments by name.
        describer: Describes static values.
    """
    import jax

    if traced.positional != len(call.args) or tuple(traced.keywords) != tuple(sorted(call.kwargs)):
        return False
    values = {name: call.kwargs[at] if isinstance(at, str) else call.args[at] for name, at in names.items()}
    static = dict(traced.static)
    if any(describer.describe(values[name]).text != told.text for name, told in static.items() if name in values):
        return False
    data = {name: value for name, value in values.items() if name not in static}
    trees = [jax.tree_util.tree_structure(value) for value in data.values()]
    told = structure_from_arguments(arguments_from_trees(trees, list(data), describer), ())
    if sorted(_tree_mark(tree) for _, tree in told.arguments) != sorted(_tree_mark(t) for _, t in structure.arguments):
        return False
    try:
        marks = aval_marks(data)
    except TypeError:  # something that is no array: the call will say so itself
        return False
    return marks == sorted((aval.shape, aval.dtype, aval.weak) for aval in traced.avals)


def _tree_mark(node: TreeNode) -> str:
    """A tree's nodes, keys and static data as one text: equal for equal trees, whoever described them."""
    static = ",".join(f"{name}={value.type_name}:{value.text}" for name, value in node.metadata)
    children = ",".join(f"{key}:{_tree_mark(child)}" for key, child in zip(node.keys, node.children, strict=True))
    return f"{node.kind}<{static}>({children})"


def aval_marks(tree: Any) -> list[tuple[Any, ...]]:
    """Shape, dtype and weak type of each leaf, in an order of their own.

    >>> aval_marks([1.0])
    [((), 'float32', True)]
    """
    import jax

    avals = [jax.typeof(leaf) for leaf in jax.tree_util.tree_leaves(tree)]
    return sorted((tuple(a.shape), str(a.dtype), bool(getattr(a, "weak_type", False))) for a in avals)
