"""Why an observed trace failed: the exact sub-expression, and what was seen to flow into it."""

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence

import msgspec

from stagelight.adapters.failure_arguments import arguments_in_message
from stagelight.adapters.failure_site import failure_site
from stagelight.adapters.source_map import tracer_aval_text
from stagelight.model.event import Failure
from stagelight.model.explanation import TraceFailure
from stagelight.model.site import Site
from stagelight.staging.expression import Expression
from stagelight.staging.frame_view import FrameView
from stagelight.staging.label import Label, is_traced
from stagelight.staging.observer import Observer
from stagelight.staging.trace_target import TraceTarget
from stagelight.staging.traced_values import tracers
from stagelight.staging.ways_out import advice_for


def trace_failure(
    error: Exception, observer: Observer, target: TraceTarget, arguments: Mapping[str, object]
) -> TraceFailure:
    """Describe why the trace of the target failed.

    Args:
        error: What tracing raised.
        observer: What was seen until then.
        target: What was traced.
        arguments: The call's arguments by parameter.
    """
    failure = failure_site(error, is_own=lambda file: file in observer.sources)
    if failure.slug == "unhashable-static-argument" and not failure.site.file:
        failure = _at_parameter(failure, target, arguments)
    expression = _failing_expression(failure, observer)
    span = observer.sources[failure.site.file].span_of(expression.node) if expression is not None else None
    operands: tuple[tuple[str, str], ...] = ()
    if expression is not None:
        view = _view_at(error, expression, observer)
        failure, operands = _with_observed(failure, expression, view, observer)
    advice = advice_for(failure.slug)
    return TraceFailure(failure=failure, span=span, operands=operands, reason=advice.reason, ways_out=advice.ways_out)


def _at_parameter(failure: Failure, target: TraceTarget, arguments: Mapping[str, object]) -> Failure:
    """A static argument of the explained call itself that cannot be hashed stands at its parameter."""
    code = target.function.__code__
    unhashable = next((n for n, v in arguments.items() if str(type(v)) in failure.message), "")
    return msgspec.structs.replace(
        failure,
        site=Site(code.co_filename, code.co_firstlineno, code.co_qualname),
        expression=unhashable,
        arguments=(unhashable,) if unhashable else (),
    )


def _failing_expression(failure: Failure, observer: Observer) -> Expression | None:
    source = observer.sources.get(failure.site.file)
    if source is None or not failure.column:
        return None
    here = [
        e
        for e in source.expressions
        if e.node.lineno == failure.site.line and source.span_of(e.node).column == failure.column
    ]
    same = [e for e in here if source.text_of(e.node) == failure.expression]
    if same:
        return same[-1]
    # Several lines: the text was normalised. The widest expression from here is the one.
    return max(here, key=lambda e: (e.node.end_lineno or 0, e.node.end_col_offset or 0), default=None)


def _view_at(error: BaseException, expression: Expression, observer: Observer) -> FrameView | None:
    """The call in which the expression was evaluated when it failed."""
    found, link, seen = None, error, set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        traceback = link.__traceback__
        while traceback is not None:
            view = observer.view_of(traceback.tb_frame)
            inside = view is not None and any(n in view.values for n in (expression.number, *expression.children))
            found = view if inside else found
            traceback = traceback.tb_next
        link = link.__cause__ or link.__context__
    return found


def _with_observed(
    failure: Failure, expression: Expression, view: FrameView | None, observer: Observer
) -> tuple[Failure, tuple[tuple[str, str], ...]]:
    """The failure with the arguments that were observed to flow into its expression, and the operands seen there."""
    if failure.slug in ("rejected-while-tracing", "unhashable-static-argument"):
        return failure, ()
    if view is None:  # a leak: the call that made the value is over
        seen = observer.observed.get(expression.number)
        return (msgspec.structs.replace(failure, arguments=tuple(seen.origins)) if seen else failure), ()
    operands = _operands(failure, expression, view, observer)
    flows = {o.number: observer.origins.of_all(tracers(view.values.get(o.number))) for o in operands}
    blamed = set(arguments_in_message(failure.message))
    if any(blamed.intersection(paths) for paths in flows.values()):
        # JAX names the arguments of the innermost traced function, which here is the explained one.
        flows = {number: tuple(p for p in paths if p in blamed) for number, paths in flows.items()}
        operands = [o for o in operands if flows[o.number]]
    paths = dict.fromkeys(path for found in flows.values() for path in found)
    if not paths and failure.slug != "other":
        inside = _origins_inside(expression, observer, view.code.co_filename)
        paths = dict.fromkeys(p for p in inside if not blamed.intersection(inside) or p in blamed)
    source = observer.sources[view.code.co_filename]
    shown = tuple((source.text_of(o.node), tracer_aval_text(view.values.get(o.number))) for o in operands)
    return msgspec.structs.replace(failure, arguments=tuple(paths)), shown


def _origins_inside(expression: Expression, observer: Observer, file: str) -> list[str]:
    """Origins of everything seen inside an expression, a generator's own frame included."""
    line, end_line, column, end_column = expression.position
    inside = [
        e
        for e in observer.sources[file].expressions
        if (line, column) <= (e.position[0], e.position[2]) and (e.position[1], e.position[3]) <= (end_line, end_column)
    ]
    seen = [observer.observed[e.number] for e in inside if e.number in observer.observed]
    return [path for one in seen for path in one.origins]


def _operands(failure: Failure, expression: Expression, view: FrameView, observer: Observer) -> list[Expression]:
    """The traced parts that the failure is about."""
    if is_traced(view.labels.get(expression.number, Label.CODE)):
        return [expression]
    if failure.slug == "other" and failure.error in ("KeyError", "ZeroDivisionError"):
        return []
    chosen = _blamed_parts(failure.slug, expression, observer)
    return [e for e in _flattened(chosen, view, observer) if is_traced(view.labels.get(e.number, Label.CODE))]


def _blamed_parts(slug: str, expression: Expression, observer: Observer) -> list[Expression]:
    parts = [observer.expression(n) for n in expression.children]
    node = expression.node
    if slug == "traced-setitem":
        return parts[:1]
    if slug in ("traced-index-or-range", "data-dependent-shape"):
        subscript = _subscript(expression, observer)
        if subscript is not None:
            return [observer.expression(n) for n in subscript.children[1:]]
        if isinstance(node, ast.BinOp):
            return [p for p in parts if not isinstance(p.node, ast.List | ast.Tuple)]
    return parts


def _subscript(expression: Expression, observer: Observer) -> Expression | None:
    """The subscript that an index failure is about: the expression, or the ``x.at[i]`` that it calls a method of."""
    if isinstance(expression.node, ast.Subscript):
        return expression
    owner = observer.expression(expression.owner) if expression.owner is not None else None
    return owner if owner is not None and isinstance(owner.node, ast.Subscript) else None


def _flattened(parts: Sequence[Expression], view: FrameView, observer: Observer) -> list[Expression]:
    """Parts, with displays and slices replaced by what is in them."""
    flat: list[Expression] = []
    for part in parts:
        is_display = isinstance(part.node, ast.List | ast.Tuple | ast.Slice | ast.Dict)
        if is_display:
            flat += _flattened([observer.expression(n) for n in part.children], view, observer)
        else:
            flat.append(part)
    return flat


def bound_arguments(call: Callable, arguments: Sequence[object], keywords: Mapping[str, object]) -> dict[str, object]:
    """Arguments by parameter, as far as they fit the signature."""
    try:
        return dict(inspect.signature(call).bind_partial(*arguments, **keywords).arguments)
    except (TypeError, ValueError):
        return dict(keywords)
