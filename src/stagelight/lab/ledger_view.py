"""The ledger as a lesson asks it: counts and causes of the program's own functions, while it is written."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from stagelight.attribution.attributor import Attributor
from stagelight.errors import UsageError
from stagelight.model.attribution import Advisory, FailureFound, Miss
from stagelight.model.event import CallsCounted, Event, Traced
from stagelight.model.examination import FunctionCounts
from stagelight.model.ledger import JaxSeen
from stagelight.recorder.recording import Recorder
from stagelight.recorder.session import Session


class LedgerView:
    """Listens to a session and answers questions about it; calls must be counted.

    Args:
        session: A session that has not started.
    """

    def __init__(self, session: Session) -> None:
        self._attributor = Attributor()
        self._recorder: Recorder | None = None
        self._misses: list[Miss] = []
        self._advisories: list[Advisory] = []
        self._failures: list[FailureFound] = []
        self._traced: dict[str, list[int]] = {}
        self._counted: Counter[int] = Counter()
        session.when_attached(self._listen)

    def _listen(self, recorder: Recorder) -> None:
        self._recorder = recorder
        recorder.book.readers.append(self._read)

    def _read(self, entry: Event | JaxSeen) -> None:
        if isinstance(entry, CallsCounted):
            self._counted[entry.function] += entry.calls
        elif isinstance(entry, Traced) and entry.ran and self._recorder is not None:
            self._recorder.write_calls()  # what was called up to here, this call included
            name = self._attributor.function(entry.function).name
            self._traced.setdefault(name, []).append(self._counted[entry.function])
        self._take(self._attributor.feed(entry))

    def _take(self, conclusions: Sequence[Miss | Advisory | FailureFound]) -> None:
        for one in conclusions:
            target: list[Any] = {Miss: self._misses, Advisory: self._advisories}.get(type(one), self._failures)
            target.append(one)

    def finish(self) -> None:
        """Take in what can be said only at the end."""
        self._take(self._attributor.finish())

    def functions(self) -> tuple[FunctionCounts, ...]:
        """The program's own functions by name, in the order in which they were first seen."""
        if self._recorder is not None:
            self._recorder.write_calls()
        found: dict[str, FunctionCounts] = {}
        for total in self._attributor.totals():
            if total.function.own and total.function.kind != "eager":
                name = total.function.name
                earlier = found.get(name, FunctionCounts(name=name))
                found[name] = FunctionCounts(
                    name=name,
                    traces=earlier.traces + total.traces,
                    compiles=earlier.compiles + total.compiles,
                    calls=earlier.calls + (total.calls or 0),
                    traced_calls=tuple(self._traced.get(name, ())),
                    causes=self._causes(name),
                )
        return tuple(found.values())

    def _causes(self, name: str) -> tuple[Any, ...]:
        own = (miss for miss in self._misses if miss.ledger == "trace" and miss.function.name == name)
        return tuple(miss.causes for miss in own if miss.function.own)

    def advisories(self) -> tuple[tuple[str, str], ...]:
        """Slug and function of each advisory so far."""
        return tuple((one.slug, one.function.name) for one in self._advisories)

    def last_failure(self) -> FailureFound | None:
        """The last failure that was recorded."""
        return self._failures[-1] if self._failures else None

    def failures(self) -> tuple[FailureFound, ...]:
        """Everything that raised."""
        return tuple(self._failures)


def counts_since(before: Sequence[FunctionCounts], now: Sequence[FunctionCounts]) -> tuple[FunctionCounts, ...]:
    """What happened between two readings, function by function."""
    known = {one.name: one for one in before}
    return tuple(_since(known.get(one.name, FunctionCounts(name=one.name)), one) for one in now)


def _since(before: FunctionCounts, now: FunctionCounts) -> FunctionCounts:
    return FunctionCounts(
        name=now.name,
        traces=now.traces - before.traces,
        compiles=now.compiles - before.compiles,
        calls=now.calls - before.calls,
        traced_calls=tuple(call - before.calls for call in now.traced_calls[len(before.traced_calls) :]),
        causes=now.causes[len(before.causes) :],
    )


def questions_about(read: Callable[[], Sequence[FunctionCounts]], view: LedgerView) -> dict[str, Any]:
    """The functions that expressions and checks may use, by name.

    Args:
        read: Gives the counts that they are about.
        view: The ledger, for failures and advisories.
    """

    def of(name: str) -> FunctionCounts:
        return next((one for one in read() if one.name == name), FunctionCounts(name=name))

    def cause(name: str, trace: int) -> str:
        known = of(name).causes
        return known[trace - 1][0].slug if 0 < trace <= len(known) else ""

    return {
        "traces": lambda name: of(name).traces,
        "compiles": lambda name: of(name).compiles,
        "calls": lambda name: of(name).calls,
        "traced_calls": lambda name: list(of(name).traced_calls),
        "cause": cause,
        "causes": lambda name: [causes[0].slug for causes in of(name).causes],
        "advisories": lambda name: [slug for slug, function in view.advisories() if function == name],
        "compiles_of_file": lambda: sum(one.compiles for one in read()),
        "traces_of_file": lambda: sum(one.traces for one in read()),
        "failures": lambda name: [one.slug for one in view.failures() if one.function.name == name],
        "binding_time": binding_time,
    }


def binding_time(function: Callable[..., Any], *args: Any, of: str, **kwargs: Any) -> str:
    """The binding time of an expression of a function under one call, as ``explain`` observes it.

    Args:
        function: The function, jitted or not.
        args: Arguments of the call.
        of: The expression as it is written in the function.
        kwargs: Keyword arguments of the call.

    Raises:
        UsageError: The expression was not evaluated in that call.
    """
    from stagelight.staging.explaining import explain

    explanation = explain(function)(*args, **kwargs)
    for one in explanation.functions:
        for label in one.spans:
            if _text_of(one.lines, one.first_line, label.span) == of:
                return label.time.value
    message = f"{of!r} was not evaluated in {explanation.call}"
    raise UsageError(message)


def _text_of(lines: Sequence[str], first_line: int, span: Any) -> str:
    begin, end = span.line - first_line, span.end_line - first_line
    if begin != end:
        return "\n".join([lines[begin][span.column - 1 :], *lines[begin + 1 : end], lines[end][: span.end_column - 1]])
    return lines[begin][span.column - 1 : span.end_column - 1]


def plain_value(value: Any) -> Any:
    """A value as JSON can hold it: arrays become lists, NumPy and JAX scalars numbers, keys of tables texts.

    Raises:
        TypeError: It cannot.

    >>> plain_value((1, "a", None))
    [1, 'a', None]
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, list | tuple):
        return [plain_value(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain_value(one) for key, one in value.items()}
    if hasattr(value, "tolist"):
        return plain_value(value.tolist())
    message = f"a {type(value).__name__} is no answer: give a number, a text, or a list of them"
    raise TypeError(message)
