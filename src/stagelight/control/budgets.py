"""Budgets: how many times a function may be traced, from the line on that says so."""

import threading
from collections.abc import Callable
from typing import Any

from stagelight.control.definition import Definition, definition_from_record, definition_of
from stagelight.control.policy import check_count
from stagelight.control.standing_session import standing_attribution
from stagelight.control.violation_text import violation_text
from stagelight.errors import RetraceForbidden, UsageError
from stagelight.model.event import Dispatched, Traced
from stagelight.recorder.book import OpenSpan
from stagelight.recorder.session import empty_fast_paths

_PERIODS = ("process", "test")


class Budget:
    """How often one function may be traced, and how often it was."""

    def __init__(self, limit: int, per: str):
        self.limit = limit
        self.per = per
        self.traces = 0


class Budgets:
    """A gate that holds every function to its budget (``stagelight.recorder.recording.Gate``)."""

    def __init__(self) -> None:
        self._of: dict[Definition, Budget] = {}
        self._lock = threading.Lock()
        self._is_on = False

    def register(self, definition: Definition, budget: Budget) -> None:
        """Hold a function to a budget from now on; an earlier one of the same function is replaced."""
        self._of[definition] = budget
        if not self._is_on:
            self._is_on = True
            standing_attribution().add(self)

    def begin_test(self) -> None:
        """Start the counts of budgets that are for one test."""
        for budget in self._of.values():
            if budget.per == "test":
                budget.traces = 0

    def forget(self) -> None:
        """Hold no function to anything."""
        self._of.clear()
        if self._is_on:
            self._is_on = False
            standing_attribution().remove(self)

    def before_trace(self, traced: Traced) -> BaseException | None:
        """See ``Gate``."""
        miss = standing_attribution().trace_about_to_begin(traced)
        budget = self._of.get(definition_from_record(miss.function))
        if budget is None:
            return None
        with self._lock:
            if budget.traces < budget.limit:
                budget.traces += 1
                return None
        limit = f"max_traces({budget.limit}{', per=' + repr(budget.per) if budget.per != 'process' else ''})"
        refusal = RetraceForbidden(violation_text(miss, f"which {limit} forbids"), (miss,))
        empty_fast_paths()
        return refusal

    def before_lowering(self, dispatched: Dispatched | None, span: OpenSpan) -> BaseException | None:
        """See ``Gate``; budgets count traces alone."""


BUDGETS = Budgets()
"""Those of this process."""


def max_traces(function: Any = None, limit: int | None = None, *, per: str = "process") -> Any:
    """Allow a function so many traces; the next one raises, before it starts, with its cause.

    The function is registered and returned as it is: nothing is wrapped, and its cached calls cost nothing more. It
    may stand above or below ``jax.jit``, and sees through ``functools.partial``, ``jax.grad`` and the wrappers of Flax
    and Equinox. Counting begins where this runs; every trace counts, a first one too.

    Args:
        function: The function, jitted or not. Left out, the result is a decorator.
        limit: How many traces are allowed.
        per: ``"process"``, or ``"test"``: each pytest test has the budget for itself (with the Stagelight plugin on).

    Returns:
        ``function`` itself, or the decorator.

    Raises:
        UsageError: ``limit`` is no count, ``per`` is neither of the two, or there is no Python function inside.

    Example:
        >>> import jax, jax.numpy as jnp, stagelight
        >>> @stagelight.max_traces(limit=1)
        ... @jax.jit
        ... def double(x):
        ...     return x * 2
        >>> _ = double(jnp.ones(3)), double(jnp.ones(3))
        >>> double(jnp.ones(4))
        Traceback (most recent call last):
        ...
        stagelight.errors.RetraceForbidden: double was about to be traced again, which max_traces(1) forbids.
        ...
    """
    if type(function) is int and limit is None:
        function, limit = None, function
    check_count("limit", limit)
    if per not in _PERIODS:
        message = f"per={per!r}: choose 'process' or 'test'"
        raise UsageError(message)
    decorate = _registering(limit or 0, per)
    return decorate if function is None else decorate(function)


def _registering(limit: int, per: str) -> Callable[[Any], Any]:
    def register(function: Any) -> Any:
        BUDGETS.register(definition_of(function), Budget(limit, per))
        return function

    return register
