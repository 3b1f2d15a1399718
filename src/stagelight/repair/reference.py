"""The original as it is run for comparison: conditions are counted, array assignments are carried out by NumPy."""

import ast
from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np

TRUTH = "__stagelight_truth__"
ASSIGNED = "__stagelight_assigned__"
INDEX = "__stagelight_index__"
MOST_ROUNDS = 300


Range = tuple[int, int, int, int]
"""Line, column, end line, end column of an expression, as ``ast`` counts them."""


def range_of(node: ast.expr) -> Range:
    """Place of an expression in the original."""
    return (node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)


class TruthRecorder:
    """Counts how often each recorded condition was true and false, where it came from arrays.

    A condition that is decided while tracing keeps its side whatever the inputs are: it is not counted.
    """

    def __init__(self) -> None:
        self.counts: dict[Range, list[int]] = {}
        self._asked = 0

    def begin(self) -> None:
        """Begin with another input."""
        self._asked = 0

    def __call__(self, place: Range, value: object) -> object:
        """Count a condition's truth and hand its value through.

        Raises:
            RuntimeError: It was asked so often for one input that the loop around it may never end.
        """
        self._asked += 1
        if self._asked > MOST_ROUNDS:
            message = f"a condition was asked {MOST_ROUNDS} times"
            raise RuntimeError(message)
        if isinstance(value, jax.Array):
            self.counts.setdefault(place, [0, 0])[bool(value)] += 1
        return value


class _Index:
    def __getitem__(self, index: object) -> object:
        return index


def assigned(array: object, index: object, value: object, operator: str) -> object:
    """What NumPy makes of ``array[index] = value``; anything that is no array of JAX is changed in place."""
    if not isinstance(array, jax.Array):
        exec(f"array[index] {operator} value", {"array": array, "index": index, "value": value})
        return array
    scope = {"array": np.array(array), "index": jax.tree_util.tree_map(_host, index), "value": _host(value)}
    exec(f"array[index] {operator} value", scope)
    return jnp.asarray(scope["array"])


def _host(value: object) -> object:
    return np.asarray(value) if isinstance(value, jax.Array) else value


def reference_text(text: str, tests: Mapping[Range, str], *, with_assignments: bool) -> str:
    """The original's text with its conditions counted, and its assignments into arrays carried out by NumPy."""
    if not tests and not with_assignments:
        return text
    return ast.unparse(ast.fix_missing_locations(_Reference(tests, with_assignments).visit(ast.parse(text))))


def reference_names(recorder: TruthRecorder) -> dict[str, object]:
    """Names that the text refers to."""
    return {TRUTH: recorder, ASSIGNED: assigned, INDEX: _Index()}


class _Reference(ast.NodeTransformer):
    def __init__(self, tests: Mapping[Range, str], with_assignments: bool):
        self.tests = tests
        self.with_assignments = with_assignments

    def visit(self, node: ast.AST) -> ast.AST:
        place = range_of(node) if isinstance(node, ast.expr) else None
        new = super().visit(node)
        if place not in self.tests or isinstance(getattr(node, "ctx", None), ast.Store):
            return new
        return ast.copy_location(ast.Call(ast.Name(TRUTH, ast.Load()), [ast.Constant(place), new], []), node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        target = node.targets[0]
        is_item = len(node.targets) == 1 and isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
        return _assignment(target, node.value, "=") if is_item and self.with_assignments else self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        is_item = isinstance(node.target, ast.Subscript) and isinstance(node.target.value, ast.Name)
        if not is_item or not self.with_assignments:
            return self.generic_visit(node)
        operator = ast.unparse(ast.AugAssign(ast.Name("a", ast.Store()), node.op, ast.Name("b", ast.Load()))).split()[1]
        return _assignment(node.target, node.value, operator)


def _assignment(target: ast.Subscript, value: ast.expr, operator: str) -> ast.Assign:
    name = target.value.id
    index = ast.Subscript(ast.Name(INDEX, ast.Load()), target.slice, ast.Load())
    arguments = [ast.Name(name, ast.Load()), index, value, ast.Constant(operator)]
    call = ast.Call(ast.Name(ASSIGNED, ast.Load()), arguments, [])
    return ast.Assign([ast.Name(name, ast.Store())], call, lineno=target.lineno)
