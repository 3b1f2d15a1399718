"""Say by itself when a function is traced too often, once for each function."""

import warnings
from collections import Counter

from stagelight.attribution.attributor import Conclusion
from stagelight.control.definition import Definition, definition_from_record
from stagelight.control.policy import check_count
from stagelight.control.standing_session import standing_attribution
from stagelight.control.violation_text import cause_text, place_text, telling_cause
from stagelight.errors import RetraceWarning
from stagelight.model.attribution import Miss
from stagelight.model.event import Dispatched, Traced
from stagelight.recorder.book import OpenSpan


class ManyTraces:
    """Counts traces of the user's own functions, and warns once a function (a gate that stops nothing)."""

    def __init__(self) -> None:
        self.limit: int | None = None
        self._causes: dict[Definition, Counter[str]] = {}

    def begin(self, limit: int | None) -> None:
        """Warn from now on beyond this many traces; ``None`` ends it."""
        was_on, self.limit = self.limit is not None, limit
        self._causes.clear()
        if limit is not None and not was_on:
            standing_attribution().add(self, self.hear)
        elif limit is None and was_on:
            standing_attribution().remove(self, self.hear)

    def before_trace(self, traced: Traced) -> BaseException | None:
        """See ``stagelight.recorder.recording.Gate``."""

    def before_lowering(self, dispatched: Dispatched | None, span: OpenSpan) -> BaseException | None:
        """See ``stagelight.recorder.recording.Gate``."""

    def hear(self, conclusion: Conclusion) -> None:
        """Count a trace that has ended."""
        if not isinstance(conclusion, Miss) or conclusion.ledger != "trace" or not conclusion.function.own:
            return
        causes = self._causes.setdefault(definition_from_record(conclusion.function), Counter())
        causes[telling_cause(conclusion).slug] += 1
        if self.limit is not None and causes.total() == self.limit + 1:
            warnings.warn_explicit(
                many_traces_text(conclusion, causes), RetraceWarning, conclusion.call.file or "<unknown>",
                conclusion.call.line, registry={},
            )  # fmt: skip


MANY_TRACES = ManyTraces()
"""That of this process."""


def many_traces_text(miss: Miss, causes: Counter[str]) -> str:
    """How often a function was traced, why, and the latest evidence."""
    reasons = ", ".join(f"{count} × {slug}" for slug, count in causes.most_common())
    return (
        f"{miss.function.name} was traced {causes.total()} times: {reasons}.\n"
        f"  latest      {cause_text(telling_cause(miss))}\n"
        f"  called at   {place_text(miss.call)}\n"
        f"  read more   stagelight rule {telling_cause(miss).slug}"
    )


def warn_after(limit: int | None) -> None:
    """Warn, once for each of your own functions, when it has been traced more often than this, and say why.

    The warning is a ``RetraceWarning`` at the line of the call. Functions are counted from here on.

    Args:
        limit: How many traces of a function go without a word; ``None`` ends the warnings.

    Raises:
        UsageError: ``limit`` is no count.

    Example:
        >>> import warnings, jax, jax.numpy as jnp, stagelight
        >>> stagelight.warn_after(1)
        >>> double = jax.jit(lambda x: x * 2)
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     _ = [double(jnp.ones(size)) for size in range(1, 5)]
        >>> [str(warning.message).splitlines()[0] for warning in caught]
        ['<lambda> was traced 2 times: 1 × first-trace, 1 × shape-changed.']
        >>> stagelight.warn_after(None)
    """
    check_count("limit", limit, may_be_none=True)
    MANY_TRACES.begin(limit)
