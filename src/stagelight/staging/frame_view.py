"""What is known of one running call: the label of each name, and the last value of each expression."""

import ast
import types

from stagelight.staging.expression import Binding, Expression
from stagelight.staging.label import Label, is_traced, joined
from stagelight.staging.traced_values import is_array, is_code, tracers


class FrameView:
    """Labels of the names and expressions of one call of a rewritten function.

    Args:
        frame: The frame; it is held until the session ends.

    Attributes:
        names: Label of each name.
        first_values: Values of the parameters at the call.
        flows: Arguments that a name flows from, where its value was bound by iteration.
        labels: Label of each expression's last value.
        values: Each expression's last value.
    """

    def __init__(self, frame: types.FrameType):
        self.frame = frame
        self.code = frame.f_code
        self.names: dict[str, Label] = {}
        self.first_values: dict[str, object] = {}
        self.flows: dict[str, tuple[str, ...]] = {}
        self.labels: dict[int, Label] = {}
        self.values: dict[int, object] = {}
        self._shadowed: dict[str, Label | None] = {}

    def bind(self, expression: Expression, value: object, label: Label) -> None:
        """Give the targets of an expression the label of its value."""
        for target, how in expression.binds:
            if how is Binding.UPDATE:
                self._update(target, label)
            elif how is Binding.WHOLE:
                self._assign(target, value, label, expression)
            else:
                if how is Binding.COMPREHENSION:
                    self._shadow(target)
                self._assign(target, None, label, None)

    def unshadow(self, names: tuple[str, ...]) -> None:
        """Give names that a comprehension had bound for itself their outer label back."""
        for name in names:
            if name in self._shadowed:
                label = self._shadowed.pop(name)
                if label is None:
                    self.names.pop(name, None)
                else:
                    self.names[name] = label

    def _shadow(self, target: ast.expr) -> None:
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self._shadowed.setdefault(node.id, self.names.get(node.id))

    def _update(self, target: ast.expr, label: Label) -> None:
        if isinstance(target, ast.Name):
            before = self.names.get(target.id, Label.CONSTANT)
            traced = [one for one in (before, label) if is_traced(one)]
            self.names[target.id] = max(traced) if traced else joined([before, label])

    def _assign(self, target: ast.expr, value: object, label: Label, expression: Expression | None) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = label
        elif isinstance(target, ast.Starred):
            self._assign(target.value, None, label, None)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = value if isinstance(value, tuple | list) and len(value) == len(target.elts) else None
            for index, element in enumerate(target.elts):
                if parts is None:
                    self._assign(element, None, label, None)
                else:
                    part_label = self._part_label(expression, index, len(parts), parts[index], label)
                    self._assign(element, parts[index], part_label, None)

    def _part_label(self, expression: Expression | None, index: int, count: int, part: object, whole: Label) -> Label:
        """Label of one element of an unpacked value: that of its own expression where a display was unpacked."""
        if tracers(part):
            return Label.DATA
        is_display = expression is not None and isinstance(expression.node, ast.Tuple | ast.List)
        if is_display and expression is not None and len(expression.children) == count:
            return self.labels.get(expression.children[index], Label.CONSTANT)
        return Label.STATIC if whole is Label.TREE else joined([whole])


def label_of_plain(value: object, otherwise: Label) -> Label:
    """Label of a value without tracers, where its origin would give it another."""
    if is_code(value):
        return Label.CODE
    if is_traced(otherwise):
        return Label.METADATA
    return Label.CAPTURED if is_array(value) and otherwise is Label.CONSTANT else otherwise
