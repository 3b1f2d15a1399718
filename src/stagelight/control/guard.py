"""Guards: from here to the end of a block, nothing is traced or compiled again."""

import contextlib
import functools
import logging
import threading
import warnings
from collections.abc import Callable, Iterable
from types import TracebackType

from stagelight.attribution.attributor import Conclusion
from stagelight.control.live_attribution import LiveAttribution, live_attribution
from stagelight.control.policy import Policy, policy
from stagelight.control.temporary_session import end_temporary_session, temporary_session
from stagelight.control.violation_text import violation_text
from stagelight.errors import RetraceForbidden, RetraceWarning
from stagelight.model.attribution import Miss
from stagelight.model.event import Dispatched, Traced
from stagelight.recorder.book import OpenSpan
from stagelight.recorder.session import Session, active_session, empty_fast_paths

_LOG = logging.getLogger("stagelight")


def no_retrace(
    *,
    first: str = "allow",
    functions: str = "own",
    threads: str = "this",
    traces: int | None = 0,
    compiles: int | None = 0,
    dispatches: int | None = None,
    action: str = "raise",
    only: str | Iterable[str] = (),
    allow: str | Iterable[str] = (),
    after: int = 0,
) -> "Guard":
    """Forbid avoidable traces and compiles of your own functions in a block, or in a decorated function.

    The exception is raised before the work starts, at the call that caused it, and says why: the cause, the argument's
    path, before and after. A call that traces and compiles nothing is never stopped (a NumPy array given to a warm
    function), and a stopped call does not cost its function the fast path. If the program swallows the exception, it
    is raised again where the block ends.

    What was traced before the block is known from the recording that runs already, or from JAX's caches. Functions
    whose earlier objects are all dead, or whose caches were cleared before the block, begin anew.

    Args:
        first: ``"forbid"`` forbids first traces and first compiles too: for a server that has been warmed up.
        functions: ``"all"`` looks at library functions and eager operations too.
        threads: ``"all"`` looks at every thread, not only at the one that enters the block.
        traces: So many forbidden traces are free; ``None`` does not look at traces.
        compiles: The same for compiles.
        dispatches: The same for calls that left the fast path with nothing traced or compiled. They are known when
            they end: the block raises at its end.
        action: ``"warn"`` gives a ``RetraceWarning`` instead, ``"log"`` a line of the logger ``stagelight``.
        only: Patterns of function names (``"train_*"``); only these are looked at, whoever's they are.
        allow: Slugs of causes that are let through (``"shape-changed"``).
        after: Forbid from this call of a function on (1 is the first); its earlier calls may trace. Calls are
            counted for it, at up to a microsecond a call.

    Returns:
        The guard: a context manager and decorator. Its ``misses`` are what it has seen and forbidden.

    Raises:
        UsageError: An option has a value that it cannot have.

    Example:
        >>> import jax, jax.numpy as jnp, stagelight
        >>> @jax.jit
        ... def double(x):
        ...     return x * 2
        >>> short, long = jnp.ones(3), jnp.ones(4)
        >>> _ = double(short)
        >>> with stagelight.no_retrace():
        ...     _ = double(short)
        >>> with stagelight.no_retrace():
        ...     _ = double(long)
        Traceback (most recent call last):
        ...
        stagelight.errors.RetraceForbidden: double was about to be traced again, which no_retrace forbids here.
        ...
    """
    return Guard(
        functools.partial(
            policy, first=first, functions=functions, threads=threads, traces=traces, compiles=compiles,
            dispatches=dispatches, action=action, only=only, allow=allow, after=after,
        ),
        "which no_retrace forbids here",
    )  # fmt: skip


class Guard(contextlib.ContextDecorator):
    """A guard that is on between entering and leaving it; made by ``no_retrace``.

    Args:
        make_policy: Gives the checked options; called at once to check them, and again in the thread that enters.
        reason: What forbids, as the end of the first sentence of its message.
        budget: Where given, decides instead of the policy's limits whether a counted miss is one too many.
    """

    def __init__(self, make_policy: Callable[[], Policy], reason: str, budget: Callable[[Miss], bool] | None = None):
        self._make_policy = make_policy
        self._policy = make_policy()
        self._reason = reason
        self._budget = budget
        self._counts = {"trace": 0, "compile": 0, "dispatch": 0}
        self._lock = threading.Lock()
        self._lowered: dict[int, tuple[int, str]] = {}
        self._own_session: Session | None = None
        self._live: LiveAttribution | None = None
        self._raised: list[RetraceForbidden] = []
        self._traced: set[int] = set()
        self.misses: list[Miss] = []

    def _recreate_cm(self) -> "Guard":
        return Guard(self._make_policy, self._reason, self._budget)

    def __enter__(self) -> "Guard":
        self._policy = self._make_policy()
        session = self._running_session()
        if session is None:
            session = self._own_session = temporary_session(calls=bool(self._policy.after))
        self._live = live_attribution(session)
        self._live.add(self, self._hear)
        return self

    def _running_session(self) -> Session | None:
        """The recording that runs already, if it can serve: it knows more than JAX's caches do."""
        session = active_session()
        if session is None or session.writer.broken or not session.path.exists():
            return None
        if self._policy.after and not session.options.calls:
            return None
        return session

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.end()
        if error is None and self._raised:
            raise self._raised[0].with_traceback(None)

    def end(self) -> None:
        """Stop guarding, without raising what was swallowed."""
        if self._live is not None:
            self._live.remove(self, self._hear)
        if self._own_session is not None:
            end_temporary_session(self._own_session)
            self._own_session = None

    def before_trace(self, traced: Traced) -> BaseException | None:
        """See ``stagelight.recorder.recording.Gate``."""
        return None if self._live is None else self._judge(self._live.trace_about_to_begin(traced))

    def before_lowering(self, dispatched: Dispatched | None, span: OpenSpan) -> BaseException | None:
        """See ``stagelight.recorder.recording.Gate``. A compile that follows its lowering was judged with it."""
        thread, work = threading.get_ident(), (span.dispatch, span.module)
        if span.kind == "compile" and self._lowered.get(thread) == work:
            return None
        if span.kind == "lower":
            self._lowered[thread] = work
        return None if self._live is None else self._judge(self._live.compile_about_to_begin(dispatched, span, thread))

    def _hear(self, conclusion: Conclusion) -> None:
        """Calls that left the fast path are known when they have ended: they are raised at the end of the block."""
        if isinstance(conclusion, Miss):
            if conclusion.ledger == "dispatch":
                self._judge(conclusion)
            elif conclusion.ledger == "trace":
                self._traced.add(conclusion.function.number)

    def _judge(self, miss: Miss) -> BaseException | None:
        is_known = miss.function.number in self._traced
        if not self._policy.forbids(miss, is_known=is_known) or self._is_free(miss):
            return None
        message = violation_text(miss, self._reason)
        self.misses.append(miss)
        if self._policy.action == "log":
            _LOG.warning(message)
            return None
        if self._policy.action == "warn":
            return self._warn(message, miss)
        refusal = RetraceForbidden(message, (miss,))
        self._raised.append(refusal)
        # Else JAX would mark the function's entry as one that goes through Python from now on.
        empty_fast_paths()
        return refusal

    def _is_free(self, miss: Miss) -> bool:
        if self._policy.after and self._live is not None:
            calls = self._live.calls_of(miss.function.number)
            if calls is not None and calls < self._policy.after:
                return True
        if self._budget is not None:
            return self._budget(miss)
        with self._lock:
            self._counts[miss.ledger] += 1
            return self._counts[miss.ledger] <= (self._policy.limit(miss.ledger) or 0)

    @staticmethod
    def _warn(message: str, miss: Miss) -> BaseException | None:
        """Warn at the user's line. Where warnings are errors, the warning is what stops JAX."""
        try:
            warnings.warn_explicit(message, RetraceWarning, miss.call.file or "<unknown>", miss.call.line, registry={})
        except RetraceWarning as warning:
            empty_fast_paths()
            return warning
        return None
