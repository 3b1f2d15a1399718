"""Which of some calls would trace, without running the function.

Each call is made for real and stopped at the trace hook, before the body runs; then the C++ call cache is emptied, so
that the function keeps its fast path. A call that is not stopped used a specialization that is there. Beside that
stands what the reference machine's key rule says; where the two differ, or the rule does not cover a call, is named.
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from stagelight.attribution.attributor import Attributor
from stagelight.errors import StoppedOnPurpose, UsageError
from stagelight.model.attribution import Cause
from stagelight.model.event import Dispatched, Event, FunctionSeen, Traced
from stagelight.model.function import Function
from stagelight.model.ledger import JaxSeen
from stagelight.model.trial import Prediction, Predictions
from stagelight.recorder.before_recording import entries_from_before
from stagelight.recorder.book import OpenSpan
from stagelight.recorder.ledger_file import ledgers_from
from stagelight.recorder.session import Session, active_session, empty_fast_paths
from stagelight.recorder.watching import watch
from stagelight.trial.machine_opinion import opinion_on, with_opinion
from stagelight.trial.made_call import Call, call_from

RESULTS_DO_NOT_FEED = (
    "Each call was stopped before it ran: results of earlier calls cannot feed later ones, and calls that "
    "would follow inside the function were not seen."
)
CACHED_CALLS_RAN = "Calls that would not trace were made: a cached call runs its executable."


class Stopper:
    """A gate that stops every trace, and remembers it."""

    def __init__(self) -> None:
        self.traced: Traced | None = None

    def before_trace(self, traced: Traced) -> BaseException | None:
        """Stop the first trace of a call."""
        self.traced = self.traced or traced
        return StoppedOnPurpose()

    def before_lowering(self, dispatched: Dispatched | None, span: OpenSpan) -> BaseException | None:
        """A call that reaches a compile uses a jaxpr that is there: let it."""


class History:
    """The causes of predicted traces, given all that was recorded and predicted before."""

    def __init__(self) -> None:
        self._attributor = Attributor()
        self._functions: dict[int, Function] = {}
        self._predicted: dict[tuple[Any, ...], int] = {}

    def read(self, entry: Event | JaxSeen) -> None:
        """Take in an entry of the ledger."""
        if isinstance(entry, FunctionSeen):
            self._functions[entry.function.number] = entry.function
        self._attributor.feed(entry)

    def function(self, traced: Traced) -> Function:
        """The function of a trace."""
        return self._functions[traced.function]

    def seen_at(self, traced: Traced) -> int:
        """Position of the call that was predicted to make this specialization, or 0."""
        return self._predicted.get(key_of(traced), 0)

    def causes(self, traced: Traced, position: int) -> tuple[Cause, ...]:
        """Why a trace would happen; from here on it counts as done."""
        causes = self._attributor.preview(traced)
        self._predicted[key_of(traced)] = position
        self._attributor.feed(traced)
        return causes


def key_of(traced: Traced) -> tuple[Any, ...]:
    """All parts of a cache key, to tell whether two predicted traces are of one specialization."""
    static = tuple((name, value.type_name, value.token) for name, value in traced.static)
    return (traced.function, traced.object, traced.structure, traced.avals, static, traced.positional,
            traced.keywords, traced.context, traced.options, traced.under)  # fmt: skip


def predict(function: Callable[..., Any], calls: Iterable[Any]) -> Predictions:
    """Say which of some calls, taken in order with the caches as they are, would trace, and why.

    The function's body is not run by a call that would trace. A call that would not is made, as it runs an executable
    that is there: an array that it donates is gone afterwards, as in any call, so give it copies of what you need.

    Args:
        function: A jitted function (``jax.jit``, ``nnx.jit``, ``eqx.filter_jit``), or one that calls some.
        calls: The calls, each made with ``stagelight.call``, or a tuple of positional arguments, or a dict of keyword
            arguments.

    Returns:
        One entry a call, with what the reference machine's key rule says beside it, and notes on what is not covered.

    Raises:
        UsageError: A call is of another form, or JAX's trace hook is not there.

    Example:
        >>> import jax, jax.numpy as jnp, stagelight
        >>> double = jax.jit(lambda x: x * 2)
        >>> three, four = jnp.ones(3), jnp.ones(4)
        >>> found = stagelight.predict(double, [(three,), (three,), (four,)])
        >>> [(p.traces, [c.slug for c in p.causes]) for p in found.calls]
        [(True, ['first-trace']), (False, []), (True, ['shape-changed'])]
    """
    given = [call_from(c) for c in calls]
    session = active_session()
    if session is not None:
        return _predict_in(session, function, given)
    with watch() as ledger:
        return _predict_in(ledger.session, function, given)


def _predict_in(session: Session, function: Callable[..., Any], given: list[Call]) -> Predictions:
    import jax  # noqa: F401  (attaches a session that waits for it)

    recorder = session.recorder
    if recorder is None or session.hooks.capabilities.get("traces") != "on":
        message = "predict needs the trace hook, which this JAX does not let in: stagelight doctor says why"
        raise UsageError(message)
    history, stopper = History(), Stopper()
    for entry in ledgers_from([str(session.path)])[0].entries():
        history.read(entry)
    recorder.book.readers.append(history.read)
    for entry in entries_from_before(recorder):
        history.read(entry)
    recorder.gates.append(stopper)
    try:
        return _predict_each(function, given, history, stopper)
    finally:
        recorder.book.readers.remove(history.read)
        recorder.gates.remove(stopper)


def _predict_each(function: Callable[..., Any], given: list[Call], history: History, stopper: Stopper) -> Predictions:
    found: list[Prediction] = []
    opinion = opinion_on(function)
    for position, one in enumerate(given, start=1):
        stopper.traced = None
        try:
            one.make(function)
        except StoppedOnPurpose:
            empty_fast_paths()
        seen = _prediction(position, stopper.traced, history)
        found.append(msgspec.structs.replace(seen, machine=with_opinion(seen, opinion, one)))
    notes = [RESULTS_DO_NOT_FEED] if any(p.traces for p in found) else []
    if any(not p.traces and not p.like for p in found):
        notes.append(CACHED_CALLS_RAN)
    notes += _notes_on_machine(found)
    name = getattr(function, "__name__", type(function).__name__)
    return Predictions(name=str(name), calls=tuple(found), notes=tuple(notes))


def _notes_on_machine(found: list[Prediction]) -> list[str]:
    """What the machine does not cover, and where JAX does otherwise."""
    said = [(one.call, one.machine) for one in found if one.machine is not None]
    missing = {says.about: None for _, says in said if says.about}
    return [
        *(f"The reference machine does not model {about}: JAX alone was asked." for about in missing),
        *(
            f"Call {call}: {says.differs}; the reference machine's rule differs from JAX."
            for call, says in said
            if says.differs
        ),
    ]


def _prediction(position: int, traced: Traced | None, history: History) -> Prediction:
    if traced is None:
        return Prediction(call=position, traces=False)
    like = history.seen_at(traced)
    if like:
        return Prediction(call=position, traces=False, function=history.function(traced), like=like)
    return Prediction(
        call=position, traces=True, function=history.function(traced), causes=history.causes(traced, position)
    )
