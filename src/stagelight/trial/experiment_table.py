"""The controlled experiment: change one factor at a time, and table what each did."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from stagelight.attribution.attributor import Attributor
from stagelight.errors import UsageError
from stagelight.model.attribution import Cause, Miss
from stagelight.model.event import Event
from stagelight.model.ledger import JaxSeen
from stagelight.model.trial import Experiment, Observation
from stagelight.recorder.ledger_file import ledgers_from
from stagelight.recorder.object_numbers import ObjectNumbers
from stagelight.recorder.value_description import ValueDescriber
from stagelight.recorder.watching import watch
from stagelight.trial.base_comparison import BaseComparison, has_key_of
from stagelight.trial.made_call import Call, call_from

VALUES_ONLY = "values only"


class Window:
    """The misses of the function itself since it was last emptied, without eager operations and nested jits."""

    def __init__(self, comparison: BaseComparison) -> None:
        self._attributor = Attributor()
        self._comparison = comparison
        self.misses: list[Miss] = []
        self.base_runs = True

    def causes(self, miss: Miss) -> tuple[Cause, ...]:
        """Why a miss happened; a trace is held against the base call alone."""
        if miss.ledger != "trace" or self.base_runs:
            return miss.causes
        return self._comparison.causes(miss.trace, miss.causes)

    def read(self, entry: Event | JaxSeen) -> None:
        """Take in an entry of the ledger."""
        self._comparison.read(entry, base_runs=self.base_runs)
        for conclusion in self._attributor.feed(entry):
            if isinstance(conclusion, Miss) and conclusion.function.kind != "eager" and not conclusion.parent:
                self.misses.append(conclusion)


def experiment(function: Callable[..., Any], base_call: Any, vary: Mapping[str, Any]) -> Experiment:
    """Change one factor of a call at a time, and table which factor traced, compiled, or did neither.

    The base call runs first. The first row then changes only the values of its arrays, which never traces; each further
    row replaces one argument. Before each row the base call runs again, so that each is compared with the base alone.
    All calls really run: a function that donates its arguments cannot be given the same arrays again.

    Args:
        function: A jitted function, or one that calls some.
        base_call: ``stagelight.call(...)``, a tuple of positional arguments, or a dict of keyword arguments.
        vary: Argument name → another value, or a list of other values.

    Returns:
        The table; ``stagelight.show`` renders it.

    Raises:
        UsageError: ``vary`` names an argument that the base call does not have.

    Example:
        >>> import jax, jax.numpy as jnp, stagelight
        >>> total = jax.jit(lambda x, mode: getattr(x, mode)(), static_argnames="mode")
        >>> base = stagelight.call(jnp.ones(3), mode="sum")
        >>> table = stagelight.experiment(total, base, vary={"x": jnp.ones(4), "mode": "mean"})
        >>> [(row.factor, row.traces) for row in table.rows]
        [('values only', 0), ('x', 1), ('mode', 1)]
    """
    import jax

    base = call_from(base_call)
    names = argument_names(function, base)
    changes = [(VALUES_ONLY, _with_other_values(base))]
    describer = ValueDescriber(ObjectNumbers())
    changes += [(name, with_argument(base, names, name, v)) for name, given in vary.items() for v in _values(given)]
    with watch() as ledger:
        window = Window(BaseComparison(lambda traced, tree: has_key_of(traced, tree, base, names, describer)))
        recorder = ledger.session.recorder
        # What this function was traced for before is among the keys that a change is compared with: the session
        # writes it when the function is first seen, with names that it wrote when it began.
        for entry in ledgers_from([str(ledger.session.path)])[0].entries():
            window.read(entry)
        recorder.book.readers.append(window.read)
        first = _observe(function, base, window, Observation(factor="base call"))
        rows = []
        for factor, changed in changes:
            window.base_runs = True
            _observe(function, base, window, Observation(factor=""))
            window.base_runs = False
            row = Observation(factor=factor, **_told(base, changed, names, factor, describer))
            rows.append(_observe(function, changed, window, row))
    name = str(getattr(function, "__name__", type(function).__name__))
    return Experiment(name=name, base=first, rows=tuple(rows), jax=jax.__version__)


def _observe(function: Callable[..., Any], one: Call, window: Window, row: Observation) -> Observation:
    window.misses.clear()
    error = ""
    try:
        one.make(function)
    except Exception as raised:
        error = f"{type(raised).__name__}: {str(raised).partition(chr(10))[0]}"
    ledgers = [m.ledger for m in window.misses]
    causes: dict[Cause, None] = {c: None for m in window.misses for c in window.causes(m) if c.slug != "first-compile"}
    return msgspec.structs.replace(
        row,
        traces=ledgers.count("trace"),
        compiles=ledgers.count("compile"),
        slow_dispatches=ledgers.count("dispatch"),
        causes=tuple(causes),
        error=error,
    )


def argument_names(function: Callable[..., Any], base: Call) -> dict[str, int | str]:
    """For each argument of a call by name: its position, or its keyword."""
    found: dict[str, int | str] = {}
    try:
        parameters = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        parameters = []
    for position in range(len(base.args)):
        found[parameters[position] if position < len(parameters) else f"args[{position}]"] = position
    found.update((k, k) for k in base.kwargs)
    return found


def with_argument(base: Call, names: Mapping[str, int | str], name: str, value: Any) -> Call:
    """The base call with one argument replaced.

    Raises:
        UsageError: It has no such argument.
    """
    if name not in names:
        message = f"the base call has no argument {name!r} to vary; it has {', '.join(names) or 'none'}"
        raise UsageError(message)
    place = names[name]
    if isinstance(place, str):
        return Call(args=base.args, kwargs={**base.kwargs, place: value})
    args = list(base.args)
    args[place] = value
    return Call(args=tuple(args), kwargs=base.kwargs)


def _values(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


def _with_other_values(base: Call) -> Call:
    """The same call with other values in its arrays: same shapes, dtypes, weak types and places."""
    import jax

    args, kwargs = jax.tree_util.tree_map(_other_values, (base.args, dict(base.kwargs)))
    return Call(args=args, kwargs=kwargs)


def _other_values(leaf: Any) -> Any:
    import jax
    import numpy as np

    is_jax = isinstance(leaf, jax.Array)
    if not (is_jax or isinstance(leaf, np.ndarray)) or leaf.dtype.kind not in "fiu":
        return leaf
    if getattr(leaf, "weak_type", False):
        return leaf
    other = np.roll(np.asarray(leaf).reshape(-1), 1).reshape(leaf.shape)
    if not is_jax:
        return other
    return jax.device_put(other, leaf.sharding if leaf.committed else None)


def _told(base: Call, changed: Call, names: Mapping[str, int | str], factor: str, describer: ValueDescriber) -> Any:
    if factor not in names:
        return {}
    place = names[factor]
    pair = [c.kwargs[place] if isinstance(place, str) else c.args[place] for c in (base, changed)]
    before, after = (describer.describe(v).text for v in pair)
    return {"before": before, "after": after}
