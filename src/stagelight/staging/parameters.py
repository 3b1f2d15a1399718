"""Label the parameters of a call, and say where its tracers come from.

A call written in rewritten source gives each parameter the label of its argument. Between that call and the function
there may be a transformation of JAX: ``jit``, ``vmap`` and ``grad`` keep positions; loops, branches and ``tree.map``
take their operands from other positions, which are in the table below (after the signatures in
``jax/_src/lax/control_flow``).
"""

import ast
import inspect
import types
from collections.abc import Mapping, Sequence

import jax

from stagelight.staging.expression import Expression
from stagelight.staging.expression_rewriting import as_written
from stagelight.staging.frame_view import FrameView, label_of_plain
from stagelight.staging.label import Label, is_traced
from stagelight.staging.origins import Origins
from stagelight.staging.traced_values import tracers

_ALL = -1
"""Every argument of the call: a loop's carry flows from all of them."""

# Function of JAX → for each parameter of the function it calls, the argument it comes from.
_OPERANDS: Mapping[str, Sequence[int]] = {
    "scan": (_ALL, 2),
    "while_loop": (_ALL,),
    "fori_loop": (0, _ALL),
    "associative_scan": (1, 1),
    "map": (1, 2, 3, 4),
    "tree_map": (1, 2, 3, 4),
    "cond": (3, 4, 5, 6, 7, 8),
    "switch": (2, 3, 4, 5, 6, 7),
    "checkpoint": (0, 1, 2, 3, 4, 5),
    "custom_root": (1,),
}


def bind_parameters(
    view: FrameView,
    caller: tuple[FrameView, Expression | None] | None,
    origins: Origins,
    expressions: Mapping[int, Expression],
) -> None:
    """Label a new call's parameters and give its new tracers their origins."""
    if view.code.co_name == "<genexpr>":
        return
    arguments = _arguments(caller, expressions) if caller is not None else None
    held = view.frame.f_locals
    for index, name in enumerate(_parameters(view.code)):
        if name not in held:
            continue
        value = view.first_values[name] = held[name]
        found = tracers(value)
        if found:
            view.names[name] = Label.DATA if value is found[0] else Label.TREE
            _give_origins(name, value, index, view, caller, arguments, origins)
        else:
            view.names[name] = label_of_plain(value, _label_at_call(name, value, index, view, caller, arguments))


def _parameters(code: types.CodeType) -> tuple[str, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[:count]


class _Arguments:
    """The argument expressions of a call, by position and by keyword."""

    def __init__(self, call: Expression, expressions: Mapping[int, Expression]):
        node = call.node
        assert isinstance(node, ast.Call)
        numbers = [n for n in call.children if n != call.owner]
        by_node = {id(expressions[n].node): n for n in numbers}
        self.all = numbers
        self.function = call.name
        self.is_method = call.owner is not None
        self.owner = call.owner
        self.is_plain = not any(isinstance(a, ast.Starred) for a in node.args)
        self.positional = [by_node.get(id(as_written(a))) for a in node.args]
        self.keywords = {k.arg: by_node.get(id(as_written(k.value))) for k in node.keywords if k.arg}


def _arguments(caller: tuple[FrameView, Expression | None], expressions: Mapping[int, Expression]) -> _Arguments | None:
    call = caller[1]
    return _Arguments(call, expressions) if call is not None and isinstance(call.node, ast.Call) else None


def _argument_numbers(name: str, index: int, view: FrameView, arguments: _Arguments) -> list[int] | None:
    """Numbers of the argument expressions that one parameter comes from; None where the call does not tell."""
    if arguments.function in _OPERANDS and not _is_own_function(view, arguments):
        operands = _OPERANDS[arguments.function]
        operand = operands[index] if index < len(operands) else _ALL
        if operand == _ALL or not arguments.is_plain:
            return arguments.all
        return [n for n in arguments.positional[operand : operand + 1] if n is not None] or arguments.all
    if name in arguments.keywords:
        return [n for n in (arguments.keywords[name],) if n is not None]
    if not arguments.is_plain:
        return None
    position = index - (1 if _has_bound_first(view, arguments) else 0)
    if position < 0:
        return [arguments.owner] if arguments.owner is not None else None
    if position < len(arguments.positional):
        number = arguments.positional[position]
        return [number] if number is not None else []
    return None


def _is_own_function(view: FrameView, arguments: _Arguments) -> bool:
    """Whether the call names the very function that runs, rather than something of JAX that calls it."""
    return view.code.co_name == arguments.function


def _has_bound_first(view: FrameView, arguments: _Arguments) -> bool:
    """Whether the first parameter is an object bound before the call: ``self``, or that of a callable object."""
    names = view.code.co_varnames
    return bool(names) and view.code.co_argcount > 0 and names[0] in ("self", "cls")


def _label_at_call(
    name: str,
    value: object,
    index: int,
    view: FrameView,
    caller: tuple[FrameView, Expression | None] | None,
    arguments: _Arguments | None,
) -> Label:
    if caller is None or arguments is None:
        return Label.STATIC
    numbers = _argument_numbers(name, index, view, arguments)
    outer = caller[0]
    if numbers is not None and len(numbers) == 1 and outer.values.get(numbers[0], view) is value:
        return outer.labels.get(numbers[0], Label.STATIC)
    for number in arguments.all:
        if number in outer.values and outer.values[number] is value:
            return outer.labels[number]
    if numbers is not None and len(numbers) == 1:
        known = outer.labels.get(numbers[0])
        return Label.STATIC if known is None or is_traced(known) or known is Label.CODE else known
    return Label.STATIC


def _give_origins(
    name: str,
    value: object,
    index: int,
    view: FrameView,
    caller: tuple[FrameView, Expression | None] | None,
    arguments: _Arguments | None,
    origins: Origins,
) -> None:
    if caller is None:
        for path, leaf in jax.tree_util.tree_leaves_with_path(value):
            for tracer in tracers(leaf):
                if not origins.knows(tracer):
                    origins.record(tracer, [name + jax.tree_util.keystr(path)])
        return
    found = [tracer for tracer in tracers(value) if not origins.knows(tracer)]
    if not found:
        return
    numbers = _argument_numbers(name, index, view, arguments) if arguments is not None else None
    outer = caller[0]
    if numbers is None:
        numbers = arguments.all if arguments is not None else []
    given = [t for n in numbers for t in tracers(outer.values.get(n))]
    if len(given) == len(found):
        for tracer, source in zip(found, given, strict=True):
            origins.record(tracer, origins.of(source))
    else:
        origins.derive(found, given)
