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
    """Label a new call's parameters and give its new tracers their origins.

    Args:
        view: The new call.
        caller: The nearest rewritten caller and the expression it evaluates; None for the explained call itself.
        origins: Where the origins of new tracers are recorded.
        expressions: All expressions by number.
    """
    if view.code.co_name == "<genexpr>":
        return
    binding = _Binding(view, caller, origins, expressions)
    held = view.frame.f_locals
    for index, name in enumerate(_parameters(view.code)):
        if name in held:
            view.first_values[name] = held[name]
            view.names[name] = binding.label(index, name, held[name])


def _parameters(code: types.CodeType) -> tuple[str, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[:count]


class _Binding:
    """One call, seen from both sides."""

    def __init__(
        self,
        view: FrameView,
        caller: tuple[FrameView, Expression | None] | None,
        origins: Origins,
        expressions: Mapping[int, Expression],
    ):
        self.view = view
        self.origins = origins
        self.outer = caller[0] if caller is not None else None
        call = caller[1] if caller is not None else None
        is_call = call is not None and isinstance(call.node, ast.Call)
        self.arguments = _Arguments(call, call.node, expressions) if is_call else None

    def label(self, index: int, name: str, value: object) -> Label:
        """Label of a parameter; the origins of its tracers are recorded on the way."""
        found = tracers(value)
        if not found:
            return label_of_plain(value, self._label_at_call(index, name, value))
        if self.outer is None:
            self._name_leaves(name, value)
        else:
            self._derive([t for t in found if not self.origins.knows(t)], self._numbers(index, name))
        return Label.DATA if value is found[0] else Label.TREE

    def _name_leaves(self, name: str, value: object) -> None:
        """The explained call's own arguments: each leaf has its path as the caller would write it."""
        for path, leaf in jax.tree_util.tree_leaves_with_path(value):
            for tracer in tracers(leaf):
                if not self.origins.knows(tracer):
                    self.origins.record(tracer, [name + jax.tree_util.keystr(path)])

    def _derive(self, new: list[object], numbers: list[int] | None) -> None:
        assert self.outer is not None
        if numbers is None:
            numbers = self.arguments.all if self.arguments is not None else []
        given = [t for n in numbers for t in tracers(self.outer.values.get(n))]
        if len(given) == len(new):
            for tracer, source in zip(new, given, strict=True):
                self.origins.record(tracer, self.origins.of(source))
        else:
            self.origins.derive(new, given)

    def _label_at_call(self, index: int, name: str, value: object) -> Label:
        if self.outer is None or self.arguments is None:
            return Label.STATIC
        numbers = self._numbers(index, name) or []
        for number in [*numbers[:1], *self.arguments.all]:
            if number in self.outer.values and self.outer.values[number] is value:
                return self.outer.labels[number]
        known = self.outer.labels.get(numbers[0], Label.CODE) if len(numbers) == 1 else Label.CODE
        return Label.STATIC if is_traced(known) or known is Label.CODE else known

    def _numbers(self, index: int, name: str) -> list[int] | None:
        """Numbers of the argument expressions that a parameter comes from; None where the call does not tell."""
        arguments = self.arguments
        if arguments is None:
            return None
        if arguments.function in _OPERANDS and self.view.code.co_name != arguments.function:
            return arguments.operand(_OPERANDS[arguments.function], index)
        if name in arguments.keywords:
            return arguments.keywords[name]
        if not arguments.is_plain:
            return None
        position = index - self._takes_owner()
        if position < 0:
            return [arguments.owner] if arguments.owner is not None else None
        return arguments.positional[position] if position < len(arguments.positional) else None

    def _takes_owner(self) -> bool:
        """Whether the first parameter is an object bound before the call: ``self``, or that of a callable object."""
        code = self.view.code
        return code.co_argcount > 0 and code.co_varnames[0] in ("self", "cls")


class _Arguments:
    """The argument expressions of a call, as lists of numbers: none for an argument that reports no value."""

    def __init__(self, call: Expression, node: ast.Call, expressions: Mapping[int, Expression]):
        self.all = [n for n in call.children if n != call.owner]
        self.function = call.name
        self.owner = call.owner
        self.is_plain = not any(isinstance(a, ast.Starred) for a in node.args)
        number_of = {id(expressions[n].node): n for n in self.all}

        def numbers(argument: ast.expr) -> list[int]:
            number = number_of.get(id(as_written(argument)))
            return [] if number is None else [number]

        self.positional = [numbers(a) for a in node.args]
        self.keywords = {k.arg: numbers(k.value) for k in node.keywords if k.arg}

    def operand(self, operands: Sequence[int], index: int) -> list[int]:
        """The argument that a function of JAX passes on as the parameter at an index."""
        operand = operands[index] if index < len(operands) else _ALL
        if operand == _ALL or not self.is_plain or operand >= len(self.positional):
            return self.all
        return self.positional[operand] or self.all
