"""An explanation as lines: source in runs of one binding time, with what each line made beside it."""

from collections.abc import Iterable, Sequence

import msgspec

from stagelight.model.explanation import (
    ExplainedFunction,
    Explanation,
    HelperCall,
    LabelledSpan,
    SourceEquation,
    TraceFailure,
)
from stagelight.report.visible import visible_source_line


class Run(msgspec.Struct, frozen=True):
    """Characters of one line that one expression covers; None where no label is known."""

    text: str
    label: LabelledSpan | None = None


class ExplainedLine(msgspec.Struct, frozen=True, kw_only=True):
    """One source line.

    Attributes:
        number: Its number in the file.
        runs: Its text.
        equations: What it made, in words.
        effects: Side effects of Python that ran here.
        helpers: Indexes of the functions that calls on it led to.
        failing: Columns of the failing expression on this line, from 0; empty where it did not fail.
        is_boundary: Whether something crosses the staging boundary here.
    """

    number: int
    runs: tuple[Run, ...]
    equations: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    helpers: tuple[int, ...] = ()
    failing: tuple[int, int] | None = None
    is_boundary: bool = False


def kind_of(label: LabelledSpan | None) -> str:
    """Name of a label's look: its binding time, or ``captured`` for an array from outside."""
    if label is None:
        return ""
    return "captured" if label.is_captured else label.time.value


def explained_lines(explanation: Explanation, index: int) -> tuple[ExplainedLine, ...]:
    """The lines of one of the explanation's functions."""
    function = explanation.functions[index]
    failing = _failing_columns(function, explanation.failure)
    return tuple(
        _line(function, function.first_line + offset, text, failing) for offset, text in enumerate(function.lines)
    )


def equation_text(equation: SourceEquation) -> str:
    """One kind of equation: ``3× sin f32[3]``, ``broadcast_in_dim f32[3] shape=(3,)``.

    >>> equation_text(SourceEquation(line=1, primitive="mul", outputs=("f32[3]",), baked=("2.0",), count=3))
    '3× mul f32[3] 2.0'
    """
    times = [f"{equation.count}×"] if equation.count > 1 else []
    inner = ["(in the body)"] if equation.is_inner else []
    return " ".join([*times, equation.primitive, *equation.outputs, *equation.baked, *inner])


def label_text(label: LabelledSpan) -> str:
    """A label in words: ``data f32[3] from params['w']``."""
    parts = ["captured array, baked in" if label.is_captured else label.time.value]
    if label.is_tree:
        parts.append("(holds traced values)")
    if label.aval:
        parts.append(label.aval)
    if label.origins:
        parts.append("from " + ", ".join(label.origins))
    if label.evaluations > 1:
        parts.append(f"evaluated {label.evaluations} times")
    return " ".join(parts)


def boundary_only(lines: Iterable[ExplainedLine]) -> list[ExplainedLine | int]:
    """Lines at the boundary, with the number of lines hidden between them."""
    shown: list[ExplainedLine | int] = []
    for line in lines:
        if line.is_boundary or line.failing or line.effects or line.helpers:
            shown.append(line)
        elif shown and isinstance(shown[-1], int):
            shown[-1] += 1
        else:
            shown.append(1)
    return shown


def _line(function: ExplainedFunction, number: int, text: str, failing: dict[int, tuple[int, int]]) -> ExplainedLine:
    return ExplainedLine(
        number=number,
        runs=_runs(text, [_on_line(s, number, len(text)) for s in function.spans], function.spans),
        equations=tuple(equation_text(e) for e in function.equations if e.line == number),
        effects=tuple(e.text for e in function.effects if e.span.line == number),
        helpers=_helpers(function.calls, number),
        failing=failing.get(number),
        is_boundary=any(s.crosses and s.span.line <= number <= s.span.end_line for s in function.spans),
    )


def _helpers(calls: Sequence[HelperCall], number: int) -> tuple[int, ...]:
    return tuple(dict.fromkeys(i for c in calls if c.span.end_line == number for i in c.functions))


def _on_line(label: LabelledSpan, number: int, length: int) -> tuple[int, int]:
    """Columns of an expression on one line, from 0; an empty range where it is elsewhere."""
    span = label.span
    if not span.line <= number <= span.end_line:
        return 0, 0
    begin = span.column - 1 if number == span.line else 0
    return begin, (span.end_column - 1 if number == span.end_line else length)


def _runs(text: str, places: Sequence[tuple[int, int]], labels: Sequence[LabelledSpan]) -> tuple[Run, ...]:
    """The line in runs: an inner expression covers the one around it."""
    owners: list[LabelledSpan | None] = [None] * len(text)
    for (begin, end), label in zip(places, labels, strict=True):
        for column in range(begin, min(end, len(text))):
            owners[column] = label
    indent = len(text) - len(text.lstrip())
    owners[:indent] = [None] * indent
    runs: list[Run] = []
    start = 0
    for column in range(1, len(text) + 1):
        if column == len(text) or owners[column] is not owners[start]:
            runs.append(Run(visible_source_line(text[start:column]), owners[start]))
            start = column
    return tuple(runs)


def _failing_columns(function: ExplainedFunction, failure: TraceFailure | None) -> dict[int, tuple[int, int]]:
    if failure is None or failure.span is None or failure.failure.site.file != function.file:
        return {}
    span = failure.span
    columns = {}
    for number in range(span.line, span.end_line + 1):
        offset = number - function.first_line
        if 0 <= offset < len(function.lines):
            text = function.lines[offset].rstrip()
            begin = span.column - 1 if number == span.line else len(text) - len(text.lstrip())
            columns[number] = (begin, span.end_column - 1 if number == span.end_line else len(text))
    return columns
