"""Where a failed trace failed, and from what: the exact sub-expression in the user's own code.

Works on the exception alone, with no instrumentation, so that a watched program can be told what happened to it.
Nothing here imports JAX, runs the user's code, or keeps a frame alive.
"""

import ast
import inspect
import re
from collections.abc import Callable
from types import FrameType
from typing import NamedTuple

import msgspec

from stagelight.adapters.failure_arguments import (
    arguments_in_message,
    arguments_of,
    is_tracer,
    parameters_read,
    tracers_read,
)
from stagelight.adapters.failure_slug import TRACING_ERRORS, asks_for_truth, slug_of_failure
from stagelight.adapters.source_expressions import (
    SourceExpressions,
    expressions_of_file,
    expressions_of_frame,
    is_reraise,
    position_at,
    position_before,
)
from stagelight.model.event import Failure
from stagelight.model.site import Site

_MADE_AT = re.compile(r"leaked intermediate value was created on line (.+?):(\d+):(\d+) \((.+?)\)\.")
_UNHASHABLE = re.compile(r"object of type (<class '.+?'>)")
_DISPLAYS = {ast.List: list, ast.ListComp: list, ast.Dict: dict, ast.DictComp: dict, ast.Set: set, ast.SetComp: set}
# Their truth is asked at the range of the whole expression, not at that of the operand.
_ASKS_AROUND = (ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

_FITTING = {
    "NonConcreteBooleanIndexError": (ast.Subscript,),
    "TracerIntegerConversionError": (ast.Subscript, ast.Call, ast.BinOp),
    "TracerArrayConversionError": (ast.Subscript, ast.Call),
    "ConcretizationTypeError": (ast.Call,),
}


def failure_site(error: BaseException, *, is_own: Callable[[str], bool]) -> Failure:
    """Describe a failed trace: its slug, place, exact expression, and the arguments it flows from.

    Args:
        error: What tracing raised, with its traceback.
        is_own: Whether a file is the user's own code; the innermost such frame is the place.

    Returns:
        A record whose ``site`` is empty where no frame of the user's own code is known. A leak's site is where the
        value that leaked was made. Arguments are those of the innermost traced function, a scan's body included.
    """
    cause = _tracing_cause(error)
    message = str(cause)
    found = _innermost_own(cause, is_own) or _innermost_own(error, is_own)
    if isinstance(cause, Exception) and type(cause).__name__ == "UnexpectedTracerError":
        leak = _leak(message, is_own)
        if leak is not None:
            return leak
    if found is None:
        return Failure(
            slug=slug_of_failure(type(cause).__name__, message), error=type(cause).__name__, message=_shortened(message)
        )
    return _at_place(cause, found)


class _Place(NamedTuple):
    frame: FrameType
    instruction: int
    line: int
    is_innermost: bool


def _at_place(error: BaseException, place: _Place) -> Failure:
    message, name, frame = str(error), type(error).__name__, place.frame
    source = expressions_of_frame(frame)
    node = _raising_node(place, source, name) if source else None
    unplaced = Failure(
        slug=slug_of_failure(name, message, is_own_raise=place.is_innermost and _raises(node, source)),
        error=name,
        message=_shortened(message),
        site=Site(frame.f_code.co_filename, place.line, frame.f_code.co_qualname),
        arguments=arguments_in_message(message),
    )
    if source is None or node is None:
        return unplaced
    node = _narrowed(node, source, place)
    return _placed(unplaced, node, source, place, message)


def _placed(failure: Failure, node: ast.AST, source: SourceExpressions, place: _Place, message: str) -> Failure:
    slug = failure.slug
    if slug != "rejected-while-tracing":
        slug = slug_of_failure(
            failure.error, message, node, source.ancestors(node), is_raised_inside=not place.is_innermost
        )
    if slug == "unhashable-static-argument" and isinstance(node, ast.Call):
        node, arguments = _static_argument(node, place.frame, message)
    else:
        arguments = arguments_of(node, slug, place.frame, message)
    return msgspec.structs.replace(
        failure,
        slug=slug,
        site=Site(failure.site.file, node.lineno, failure.site.function),
        column=source.column_of(node),
        expression=source.line_of_text(node),
        arguments=arguments,
    )


def _tracing_cause(error: BaseException) -> BaseException:
    """The tracing error behind an error that was raised because of it, or the error itself."""
    seen: set[int] = set()
    found, link = error, error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        if type(link).__name__ in TRACING_ERRORS:
            found = link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    return found


def _innermost_own(error: BaseException, is_own: Callable[[str], bool]) -> _Place | None:
    found, traceback = None, error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if is_own(frame.f_code.co_filename):
            found = _Place(frame, traceback.tb_lasti, traceback.tb_lineno, True)
        elif found is not None:
            found = found._replace(is_innermost=False)
        traceback = traceback.tb_next
    return found


def _raising_node(place: _Place, source: SourceExpressions, error_type_name: str) -> ast.AST | None:
    if not is_reraise(place.frame, place.instruction):
        return source.at(position_at(place.frame, place.instruction))
    # Only the line is known: the narrowest expression on it that reads a tracer and fits the error.
    here = [n for n in source.on_line(place.line) if not isinstance(getattr(n, "ctx", None), ast.Store)]
    if error_type_name == "TracerBoolConversionError":
        fitting = [n for n in here if _is_asked(n, source)]
    else:
        kinds = _FITTING.get(error_type_name, ())
        fitting = [n for n in here if isinstance(n, kinds) and tracers_read(n, place.frame)]
    return next(iter([*reversed(fitting), *here]), None)


def _is_asked(node: ast.expr, source: SourceExpressions) -> bool:
    """Whether the syntax around an expression asks for its truth."""
    parent = source.parents.get(node)
    if isinstance(parent, ast.If | ast.While | ast.IfExp | ast.Assert):
        return parent.test is node
    if isinstance(parent, ast.comprehension):
        return node in parent.ifs
    if isinstance(parent, ast.BoolOp):
        return node is not parent.values[-1]
    return asks_for_truth(node) or (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not))


def _raises(node: ast.AST | None, source: SourceExpressions | None) -> bool:
    if node is None or source is None:
        return False
    near = (node, *source.ancestors(node)[:1])
    return any(isinstance(n, ast.Raise | ast.Assert) for n in near)


def _narrowed(node: ast.AST, source: SourceExpressions, place: _Place) -> ast.AST:
    if isinstance(node, ast.Raise):
        return node.exc or node
    if isinstance(node, ast.Assert):  # Python 3.12 places the error at the statement, 3.13 at its test
        return node.test
    if isinstance(node, ast.FormattedValue):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, _ASKS_AROUND) and not is_reraise(place.frame, place.instruction):
        before = position_before(place.frame, place.instruction)
        last = source.at(before) if before else None
        asked = [n for n in _asked_inside(node) if last is not None and any(part is last for part in ast.walk(n))]
        return asked[0] if asked else node
    return node


def _asked_inside(node: ast.AST) -> list[ast.expr]:
    """The parts whose truth a logical expression or a comprehension asks for."""
    if isinstance(node, ast.BoolOp):
        return node.values
    return [test for part in getattr(node, "generators", ()) for test in part.ifs]


def _leak(message: str, is_own: Callable[[str], bool]) -> Failure | None:
    """A leak is shown where the value was made: that is the line to change."""
    made = _MADE_AT.search(message)
    source = expressions_of_file(made[1]) if made and is_own(made[1]) else None
    node = source.starting_at(int(made[2]), int(made[3])) if made and source else None
    if made is None or source is None or node is None:
        return None
    return Failure(
        slug="tracer-leak",
        error="UnexpectedTracerError",
        message=_shortened(message),
        site=Site(made[1], int(made[2]), made[4]),
        column=source.column_of(node),
        expression=source.line_of_text(node),
        arguments=parameters_read(node, source),
    )


def _static_argument(call: ast.Call, frame: FrameType, message: str) -> tuple[ast.AST, tuple[str, ...]]:
    """The argument of a call that could not be hashed, and the name of its parameter."""
    found = _UNHASHABLE.search(message)
    kind = found[1] if found else ""
    callee = _held(call.func, frame)
    try:
        parameters = list(inspect.signature(callee).parameters)
    except (TypeError, ValueError):
        parameters = []
    given = [(a, tuple(parameters[i : i + 1])) for i, a in enumerate(call.args)]
    given += [(k.value, (k.arg,)) for k in call.keywords if k.arg]
    suspects = [g for g in given if _type_text(g[0], frame) == kind]
    exact = [g for g in suspects if _shows(g[0], frame, message)]
    if not suspects:  # a call makes a value of a type that its source does not tell
        suspects = [g for g in given if isinstance(g[0], ast.Call)]
        suspects = suspects if len(suspects) == 1 else []
    return next(iter(exact or suspects), (call, ()))


def _shows(node: ast.AST, frame: FrameType, message: str) -> bool:
    """Whether JAX's message shows this very tracer, where several arguments have the type that it names."""
    value = _held(node, frame)
    return is_tracer(value) and repr(value) in message


def _type_text(node: ast.AST, frame: FrameType) -> str:
    if type(node) in _DISPLAYS:
        return str(_DISPLAYS[type(node)])
    if isinstance(node, ast.Call):
        return str(_held(node.func, frame))
    return str(type(_held(node, frame)))


def _held(node: ast.AST, frame: FrameType) -> object:
    """What a dotted name holds in a frame, without running descriptors of the user's types."""
    if isinstance(node, ast.Name):
        scopes = (frame.f_locals, frame.f_globals, frame.f_builtins)
        return next((scope[node.id] for scope in scopes if node.id in scope), None)
    if isinstance(node, ast.Attribute):
        return inspect.getattr_static(_held(node.value, frame), node.attr, None)
    return None


def _shortened(message: str) -> str:
    """JAX's message without the pointer to its own page, at most 1,000 characters."""
    return message.split("\nSee https://docs.jax.dev")[0].strip()[:1000]
