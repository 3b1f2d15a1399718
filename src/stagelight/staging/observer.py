"""Watch every expression of the rewritten functions while JAX traces them.

A tracer, or a container of tracers, is data: that is observed. For every other value the label follows from where it
came from: from the labels of the parts it was computed from, of the names it was bound to, and of the arguments at the
call.
"""

import ast
import collections
import dataclasses
import sys
import threading
import types
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stagelight.adapters.source_map import tracer_aval_text
from stagelight.staging.expression import Expression, Role
from stagelight.staging.frame_view import FrameView, label_of_plain
from stagelight.staging.instrumented_source import InstrumentedSource
from stagelight.staging.label import Label, is_traced, joined
from stagelight.staging.origins import Origins
from stagelight.staging.parameters import bind_parameters
from stagelight.staging.side_effects import is_side_effect
from stagelight.staging.traced_values import tracers


class FunctionPlace(NamedTuple):
    """Where a function is defined."""

    file: str
    qualname: str
    first_line: int


@dataclasses.dataclass(slots=True)
class Observed:
    """What was seen of one expression, over all its evaluations."""

    labels: collections.Counter
    avals: dict[str, None]
    origins: dict[str, None]


class Observer:
    """The hooks of one session.

    Args:
        sources: Rewritten files by name.

    Attributes:
        observed: By the expression's number.
        effects: Numbers of the calls with a side effect of Python, in order.
        entered: The functions that ran, in order.
        calls: By the number of a call, the functions that it led to.
    """

    def __init__(self, sources: Mapping[str, InstrumentedSource]):
        self.sources = sources
        self.observed: dict[int, Observed] = {}
        self.effects: dict[int, None] = {}
        self.entered: dict[FunctionPlace, None] = {}
        self.calls: dict[int, dict[FunctionPlace, None]] = {}
        self.origins = Origins()
        self._views: dict[int, FrameView] = {}
        self._order: list[FrameView] = []
        self._thread = threading.get_ident()
        self._is_busy = False
        self._expressions: dict[int, Expression] = {e.number: e for s in sources.values() for e in s.expressions}

    # --- the two hooks

    def value(self, number: int, value: object) -> object:
        """Hook of every expression: look at the value and hand it through."""
        # A user's own flatten, __eq__ or __hash__ may be rewritten too: looking at a value must not look at itself.
        if self._is_busy or threading.get_ident() != self._thread:
            return value
        self._is_busy = True
        try:
            self._observe(self._expressions[number], value, sys._getframe(1))
        finally:
            self._is_busy = False
        return value

    def enter(self) -> None:
        """Hook of every call of a rewritten function."""
        if self._is_busy or threading.get_ident() != self._thread:
            return
        self._is_busy = True
        try:
            self._begin(sys._getframe(1))
        finally:
            self._is_busy = False

    # --- frames

    def view_of(self, frame: types.FrameType) -> FrameView | None:
        """What is known of a frame of this session."""
        view = self._views.get(id(frame))
        return view if view is not None and view.frame is frame else None

    @property
    def entry(self) -> FrameView | None:
        """The first rewritten function that ran."""
        return self._order[0] if self._order else None

    def expression(self, number: int) -> Expression:
        """An expression by its number."""
        return self._expressions[number]

    def caller_of(self, frame: types.FrameType) -> tuple[FrameView, Expression | None] | None:
        """The nearest rewritten caller of a frame, and the expression it is evaluating."""
        outer = frame.f_back
        while outer is not None:
            view = self.view_of(outer)
            if view is not None:
                return view, self._evaluating(outer)
            outer = outer.f_back
        return None

    def _evaluating(self, frame: types.FrameType) -> Expression | None:
        positions = list(frame.f_code.co_positions())
        source = self.sources[frame.f_code.co_filename]
        number = source.number_at(positions[frame.f_lasti // 2])
        return self._expressions[number] if number is not None else None

    def _begin(self, frame: types.FrameType) -> FrameView:
        view = self._views[id(frame)] = FrameView(frame)
        self._order.append(view)
        code = frame.f_code
        function = FunctionPlace(code.co_filename, code.co_qualname, code.co_firstlineno)
        self.entered[function] = None
        caller = self.caller_of(frame)
        if caller is not None and caller[1] is not None:
            self.calls.setdefault(caller[1].number, {})[function] = None
        bind_parameters(view, caller, self.origins, self._expressions)
        return view

    # --- values

    def _observe(self, expression: Expression, value: object, frame: types.FrameType) -> None:
        view = self.view_of(frame) or self._begin(frame)
        found = tracers(value)
        label = self._label(view, expression, value, found)
        view.labels[expression.number] = label
        view.values[expression.number] = value
        if found:
            self._trace_origins(view, expression, found)
        self._record(expression, value, label, found)
        view.bind(expression, value, label)
        self._bind_flows(view, expression, found)
        view.unshadow(expression.shadows)
        if is_side_effect(expression, view, self._expressions):
            self.effects[expression.number] = None

    def _label(self, view: FrameView, expression: Expression, value: object, found: list) -> Label:
        if found:
            return Label.DATA if value is found[0] or _is_index_helper(value) else Label.TREE
        node = expression.node
        if isinstance(node, ast.Name):
            return label_of_plain(value, self._label_of_name(view, expression.name))
        parts = [self._label_of_part(view, child) for child in expression.children]
        if isinstance(value, Iterator) and any(map(is_traced, parts)):
            return Label.TREE  # looking into it would use it up
        if isinstance(node, ast.Attribute | ast.Subscript) and parts and parts[0] is Label.TREE:
            # A field of an object with traced leaves that is no leaf: static by the object's own declaration.
            return label_of_plain(value, Label.STATIC)
        if isinstance(node, ast.Attribute) and parts and parts[0] is Label.CODE:
            return label_of_plain(value, Label.CONSTANT)
        return label_of_plain(value, joined(parts))

    def _label_of_part(self, view: FrameView, number: int) -> Label:
        known = view.labels.get(number)
        if known is not None:
            return known
        part = self._expressions[number]
        return joined([self._label_of_part(view, child) for child in part.children])

    def _label_of_name(self, view: FrameView, name: str) -> Label:
        if name in view.names:
            return view.names[name]
        if name in view.code.co_freevars or view.code.co_name == "<genexpr>":
            return self._label_in_enclosing(view, name)
        return Label.STATIC if name in view.frame.f_locals else Label.CONSTANT

    def _label_in_enclosing(self, view: FrameView, name: str) -> Label:
        for outer in self._enclosing(view):
            if name in outer.names:
                return outer.names[name]
        return Label.STATIC if name in view.code.co_freevars else Label.CONSTANT

    def _enclosing(self, view: FrameView) -> Iterator[FrameView]:
        """Calls of the functions that a function is nested in, the latest first."""
        for outer in reversed(self._order):
            encloses = view.code.co_qualname.startswith(outer.code.co_qualname + ".<locals>")
            if encloses and outer.code.co_filename == view.code.co_filename:
                yield outer

    def _trace_origins(self, view: FrameView, expression: Expression, found: list) -> None:
        if all(self.origins.knows(tracer) for tracer in found):
            return
        parts = [view.values.get(child) for child in self._flat_children(expression)]
        sources = [tracer for part in parts for tracer in tracers(part)]
        if not sources and expression.name:
            self.origins.give(found, self._flow_of_name(view, expression.name))
        self.origins.derive(found, sources)

    def _flow_of_name(self, view: FrameView, name: str) -> tuple[str, ...]:
        flows = (v.flows[name] for v in (view, *self._enclosing(view)) if name in v.flows)
        return next(flows, ())

    def _bind_flows(self, view: FrameView, expression: Expression, found: list) -> None:
        """Elements of a traced array are new tracers: they flow from what the array flows from."""
        if expression.role is Role.ITERATION:
            # An iterator over arrays (enumerate, zip) holds none that could be seen: its arguments do.
            parts = [view.values.get(child) for child in self._flat_children(expression)]
            paths = self.origins.of_all(found or [tracer for part in parts for tracer in tracers(part)])
            names = [n.id for target, _ in expression.binds for n in ast.walk(target) if isinstance(n, ast.Name)]
            view.flows.update(dict.fromkeys(names, paths))

    def _flat_children(self, expression: Expression) -> list[int]:
        """Children, with those of slices and of other parts that are no values of their own."""
        flat = []
        for child in expression.children:
            part = self._expressions[child]
            flat += self._flat_children(part) if isinstance(part.node, ast.Slice | ast.Tuple) else []
            flat.append(child)
        return flat

    def _record(self, expression: Expression, value: object, label: Label, found: list) -> None:
        seen = self.observed.get(expression.number)
        if seen is None:
            seen = self.observed[expression.number] = Observed(collections.Counter(), {}, {})
        seen.labels[label] += 1
        if found:
            seen.origins.update(dict.fromkeys(self.origins.of_all(found)))
            if label is Label.DATA:
                seen.avals[tracer_aval_text(found[0])] = None


def _is_index_helper(value: object) -> bool:
    return type(value).__name__ in {"_IndexUpdateHelper", "_IndexUpdateRef"}


def label_shown(seen: Observed) -> Label:
    """The latest label that an expression had."""
    return max(seen.labels, key=lambda label: (is_traced(label), label))
