"""Turn what was observed into records: the source of each function that ran, with labels and equations."""

import ast
import collections
from collections.abc import Iterable

from stagelight.adapters.source_map import PlacedEquation
from stagelight.model.binding_time import BindingTime
from stagelight.model.explanation import Effect, ExplainedFunction, HelperCall, LabelledSpan, SourceEquation
from stagelight.staging.expression import Expression
from stagelight.staging.instrumented_source import InstrumentedSource
from stagelight.staging.label import Label, is_traced, time_of
from stagelight.staging.observer import FunctionPlace, Observer, label_shown


def explained_functions(
    observer: Observer, entry: FunctionPlace, equations: Iterable[PlacedEquation]
) -> tuple[ExplainedFunction, ...]:
    """The entry first, then the helpers as they were entered; nested functions stand inside their outer one."""
    places = [
        p for p in dict.fromkeys([entry, *observer.entered]) if p == entry or not _is_inside_another(p, observer, entry)
    ]
    by_line = _equations_by_line(equations, observer)
    return tuple(_explained(place, places, observer, by_line) for place in places)


def elsewhere(equations: Iterable[PlacedEquation], observer: Observer) -> tuple[tuple[str, int], ...]:
    """Equations that no rewritten line made, by primitive, the most frequent first."""
    counts = collections.Counter(e.primitive for e in equations if _own_frame(e, observer) is None)
    return tuple(counts.most_common())


def _is_inside_another(place: FunctionPlace, observer: Observer, entry: FunctionPlace) -> bool:
    source = observer.sources[place.file]
    last = source.end_line(place.first_line)
    for other in (entry, *observer.entered):
        if other == place or other.file != place.file:
            continue
        if other.first_line <= place.first_line and last <= source.end_line(other.first_line):
            return (other.first_line, -source.end_line(other.first_line)) < (
                place.first_line,
                -last,
            ) or "<locals>" in place.qualname
    return False


def _explained(
    place: FunctionPlace,
    places: list[FunctionPlace],
    observer: Observer,
    by_line: dict[tuple[str, int], list[SourceEquation]],
) -> ExplainedFunction:
    source = observer.sources[place.file]
    first, last = place.first_line, source.end_line(place.first_line)
    here = [e for e in source.expressions if first <= e.node.lineno <= last]
    lines = range(first, last + 1)
    return ExplainedFunction(
        function=place.qualname,
        file=place.file,
        first_line=first,
        lines=tuple(source.lines[first - 1 : last]),
        spans=tuple(_spans(here, source, observer)),
        equations=tuple(equation for line in lines for equation in by_line.get((place.file, line), ())),
        effects=tuple(
            Effect(span=source.span_of(e.node), text=source.text_of(e.node.func))
            for e in map(observer.expression, observer.effects)
            if e in here and isinstance(e.node, ast.Call)
        ),
        calls=tuple(_helper_calls(here, source, places, place, observer)),
    )


def _spans(here: list[Expression], source: InstrumentedSource, observer: Observer) -> list[LabelledSpan]:
    spans = [s for e in here if (s := _span(e, source, observer)) is not None]
    return sorted(spans, key=lambda s: (s.span.line, s.span.column, -s.span.end_line, -s.span.end_column))


def _span(expression: Expression, source: InstrumentedSource, observer: Observer) -> LabelledSpan | None:
    seen = observer.observed.get(expression.number)
    if seen is None:
        return _constant_span(expression, source, observer)
    label = label_shown(seen)
    time = time_of(label)
    if time is None:
        return None
    avals = tuple(seen.avals)
    return LabelledSpan(
        span=source.span_of(expression.node),
        time=time,
        is_tree=label is Label.TREE,
        is_captured=label is Label.CAPTURED,
        aval=avals[0] if len(avals) == 1 else "",
        origins=tuple(seen.origins),
        crosses=_crosses(expression, label, observer),
        evaluations=seen.labels.total(),
    )


def _constant_span(expression: Expression, source: InstrumentedSource, observer: Observer) -> LabelledSpan | None:
    """A literal is not hooked; it was evaluated if the expression around it was."""
    was_evaluated = expression.parent is not None and expression.parent in observer.observed
    if not was_evaluated or not isinstance(expression.node, ast.Constant):
        return None
    return LabelledSpan(span=source.span_of(expression.node), time=BindingTime.CONSTANT)


def _label(number: int | None, observer: Observer) -> Label:
    seen = observer.observed.get(number) if number is not None else None
    return label_shown(seen) if seen is not None else Label.CODE


def _crosses(expression: Expression, label: Label, observer: Observer) -> bool:
    """Whether a value known while tracing goes into data here, or is read off data here."""
    if label is Label.METADATA and any(is_traced(_label(child, observer)) for child in expression.children):
        return True
    if is_traced(label) or isinstance(expression.node, ast.Constant):
        return False
    return _label(expression.parent, observer) is Label.DATA


def _helper_calls(
    here: list[Expression],
    source: InstrumentedSource,
    places: list[FunctionPlace],
    own: FunctionPlace,
    observer: Observer,
) -> list[HelperCall]:
    index = {place: i for i, place in enumerate(places)}
    calls = []
    for expression in here:
        led_to = observer.calls.get(expression.number, ())
        helpers = tuple(index[p] for p in led_to if p in index and p != own)
        if helpers:
            calls.append(HelperCall(span=source.span_of(expression.node), functions=helpers))
    return calls


def _own_frame(equation: PlacedEquation, observer: Observer) -> tuple[str, int] | None:
    return next(((f.file, f.line) for f in equation.frames if f.file in observer.sources), None)


def _equations_by_line(
    equations: Iterable[PlacedEquation], observer: Observer
) -> dict[tuple[str, int], list[SourceEquation]]:
    counts: collections.Counter = collections.Counter()
    for equation in equations:
        place = _own_frame(equation, observer)
        if place is not None:
            baked = (*equation.literals, *(f"{name}={value}" for name, value in equation.parameters))
            counts[place, equation.primitive, equation.outputs, baked, equation.depth > 0] += 1
    by_line: dict[tuple[str, int], list[SourceEquation]] = {}
    for (place, primitive, outputs, baked, is_inner), count in counts.items():
        made = SourceEquation(
            line=place[1], primitive=primitive, outputs=outputs, baked=baked, count=count, is_inner=is_inner
        )
        by_line.setdefault(place, []).append(made)
    return by_line
