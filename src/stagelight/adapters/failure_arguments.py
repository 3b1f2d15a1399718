"""Which arguments of the traced function a failing expression flows from, found without instrumentation.

JAX's own message names them where it can (``jax/_src/interpreters/partial_eval.py: DynamicJaxprTracer._origin_msg``).
Where it does not, the same question is put to every tracer that the expression reads; where a tracer cannot answer
(``vmap`` alone), assignments are followed back to parameters.
"""

import ast
import re
import sys
from collections.abc import Iterator
from types import FrameType

from stagelight.adapters.source_expressions import SourceExpressions, expressions_of_frame

_NAMED = re.compile(r"depends on the values? of the arguments? (.+?)\.(?:\n|$)")
_METADATA = frozenset({"shape", "ndim", "dtype", "size", "aval", "sharding", "weak_type", "itemsize", "nbytes"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# What ``x.at`` and ``x.at[i]`` are (jax/_src/numpy/array_methods.py): no pytrees, yet they hold an array.
_INDEX_HELPERS = frozenset({"_IndexUpdateHelper", "_IndexUpdateRef"})
_UNKNOWN = object()


def arguments_in_message(message: str) -> tuple[str, ...]:
    """The arguments that JAX names in its message.

    >>> arguments_in_message("it depends on the values of the arguments x, y['w'], and z.")
    ('x', "y['w']", 'z')
    """
    named = [re.split(r", and |, | and ", found) for found in _NAMED.findall(message)]
    return tuple(dict.fromkeys(name for names in named for name in names))


def arguments_of(node: ast.AST, slug: str, frame: FrameType, message: str) -> tuple[str, ...]:
    """The traced arguments behind a failing expression, as the caller would write them.

    Args:
        node: The failing expression.
        slug: Its failure.
        frame: The frame it was evaluated in.
        message: JAX's message.
    """
    if slug == "rejected-while-tracing":
        return ()
    named = arguments_in_message(message)
    if named:
        return named
    tracers: list[object] = []
    for operand in _operands(node, slug):
        tracers += tracers_read(operand, frame, with_containers=slug != "other")
    found = dict.fromkeys(name for t in tracers for name in arguments_of_tracer(t))
    return tuple(found) if found or not tracers else parameters_behind(node, frame)


def arguments_of_tracer(tracer: object) -> tuple[str, ...]:
    """The arguments that one tracer depends on, by JAX's own search through the jaxpr so far."""
    for _ in range(16):
        origin = getattr(tracer, "_origin_msg", None)
        try:
            named = arguments_in_message(origin()) if origin else ()
        except Exception:  # JAX's insides may have changed or the trace may be over: then nothing is known
            named = ()
        inner = getattr(tracer, "primal", None)
        inner = getattr(tracer, "val", None) if inner is None else inner
        if named or not is_tracer(inner):
            return named
        tracer = inner
    return ()


def is_tracer(value: object) -> bool:
    """Whether a value is a tracer of the JAX that is already imported; imports nothing."""
    core = sys.modules.get("jax._src.core")
    return core is not None and isinstance(value, core.Tracer)


def tracers_in(value: object) -> list[object]:
    """Tracers among the leaves of a pytree."""
    jax = sys.modules.get("jax")
    if is_tracer(value) or jax is None:
        return [value] if is_tracer(value) else []
    if type(value).__name__ in _INDEX_HELPERS:
        return tracers_in(getattr(value, "array", None))
    try:
        return [leaf for leaf in jax.tree_util.tree_leaves(value) if is_tracer(leaf)]
    except Exception:  # the flatten function of a user's type may raise anything
        return []


def _operands(node: ast.AST, slug: str) -> Iterator[ast.AST]:
    """The parts that the failure is about: the index rather than what it indexes, the array rather than the value."""
    if slug in {"data-dependent-shape", "traced-index-or-range"}:
        for part in ast.walk(node):
            if isinstance(part, ast.Subscript):
                yield part.slice
                return
    if slug == "traced-setitem" and isinstance(node, ast.Subscript):
        yield node.value
    elif slug == "traced-index-or-range" and isinstance(node, ast.BinOp):
        yield from (side for side in (node.left, node.right) if not isinstance(side, ast.List | ast.Tuple))
    else:
        yield node


def tracers_read(node: ast.AST, frame: FrameType, *, with_containers: bool = True) -> list[object]:
    """Tracers that an expression reads by plain names, attributes and constant subscripts, as far as they are known."""
    value = _value_of(node, frame)
    if value is not _UNKNOWN:
        return tracers_in(value) if with_containers or is_tracer(value) else []
    if isinstance(node, ast.Attribute) and node.attr in _METADATA:
        return []
    return [
        t for child in ast.iter_child_nodes(node) for t in tracers_read(child, frame, with_containers=with_containers)
    ]


def _value_of(node: ast.AST, frame: FrameType) -> object:
    """What a name, plain attribute or constant subscript holds now, without running any of the user's code."""
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, _UNKNOWN)
    if isinstance(node, ast.Attribute):
        owner = _value_of(node.value, frame)
        held = getattr(owner, "__dict__", None)
        return held.get(node.attr, _UNKNOWN) if isinstance(held, dict) and not is_tracer(owner) else _UNKNOWN
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        held = _value_of(node.value, frame)
        if type(held) in (dict, list, tuple):
            try:
                return held[node.slice.value]
            except (KeyError, IndexError, TypeError):
                return None
    return _UNKNOWN


def parameters_behind(node: ast.AST, frame: FrameType) -> tuple[str, ...]:
    """Parameters of the frame's function that hold tracers and reach the expression through assignments."""
    code = frame.f_code
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    reached = _names_read(node)
    source = expressions_of_frame(frame)
    if source is not None:
        functions = [n for n in ast.walk(source.tree) if isinstance(n, _FUNCTIONS)]
        reached = _reached(reached, [f for f in functions if _first_line(f) == code.co_firstlineno])
    return tuple(p for p in parameters if p in reached and tracers_in(frame.f_locals.get(p)))


def parameters_read(node: ast.AST, source: SourceExpressions) -> tuple[str, ...]:
    """Parameters of the function around an expression that reach it through assignments; no frame is needed."""
    around = next((n for n in source.ancestors(node) if isinstance(n, _FUNCTIONS)), None)
    if around is None:
        return ()
    reached = _reached(_names_read(node), [around])
    parameters = [a.arg for a in (*around.args.posonlyargs, *around.args.args, *around.args.kwonlyargs)]
    return tuple(p for p in parameters if p in reached and p != "self")


def _first_line(function: ast.AST) -> int:
    return min([function.lineno, *(d.lineno for d in getattr(function, "decorator_list", ()))])


def _reached(names: set[str], functions: list[ast.AST]) -> set[str]:
    """The names, and all that flow into them through the assignments of the functions."""
    flows: dict[str, set[str]] = {}
    for node in (n for f in functions for n in ast.walk(f)):
        for target, value in _bindings(node):
            for name in _names_read(target):
                flows.setdefault(name, set()).update(_names_read(value))
    reached, todo = set(names), list(names)
    while todo:
        new = flows.get(todo.pop(), set()) - reached
        reached |= new
        todo += new
    return reached


def _bindings(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.For | ast.comprehension):
        yield node.target, node.iter
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        yield node.target, node.value


def _names_read(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
