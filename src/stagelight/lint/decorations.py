"""What a function's decorators make of it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import msgspec

from stagelight.lint.definitions import FunctionDefinition
from stagelight.lint.scope import Scope
from stagelight.lint.static_parameters import StaticParameters, static_parameters
from stagelight.lint.tracing_context import Context
from stagelight.lint.transformations import TRANSFORMATIONS, Staging, Transformation
from stagelight.lint.values import External
from stagelight.lint.word_list import names

if TYPE_CHECKING:
    from stagelight.lint.machine import Machine

_TRANSPARENT = names(
    "builtins.staticmethod builtins.classmethod builtins.property functools.wraps functools.cached_property "
    "typing.overload typing.override typing.no_type_check abc.abstractmethod jaxtyping.jaxtyped beartype.beartype "
    "jax.named_scope flax.linen.compact flax.linen.nowrap equinox.internal.noinline equinox.internal.doc_remove_args "
    "typeguard.typechecked"
)


def is_transparent(name: str) -> bool:
    """Whether a decorator from outside leaves the function as it is called."""
    return name in _TRANSPARENT


class Decoration(msgspec.Struct, frozen=True, eq=False):
    """One decorator that is a transformation: what it does, with which keywords, written where."""

    transformation: Transformation
    keywords: tuple[ast.keyword, ...]
    node: ast.expr
    statics: StaticParameters


class Decorations(msgspec.Struct, frozen=True, eq=False):
    """All transformations among a function's decorators, outermost first.

    ``is_opaque``: another decorator may do anything to it.
    """

    transformations: tuple[Decoration, ...] = ()
    is_opaque: bool = False

    def of(self, staging: Staging) -> Decoration | None:
        """Return the decoration of a kind, or None."""
        return next((d for d in self.transformations if d.transformation.staging is staging), None)

    @property
    def is_staged(self) -> bool:
        """Whether the function's own body is traced with every JAX operation."""
        return self.of(Staging.JIT) is not None or self.of(Staging.STAGE) is not None


PLAIN = Decorations()


def decorations_of(machine: Machine, function: FunctionDefinition, scope: Scope | None = None) -> Decorations:
    """Read the decorators of a function, once per machine."""
    if not function.decorators:
        return PLAIN
    key = ("decorations", id(function.node))
    found = machine.notes.get(key)
    if not isinstance(found, Decorations):
        found = _read(machine, function, scope or function.scope or Scope())
        machine.notes[key] = found
    return found


def _read(machine: Machine, function: FunctionDefinition, scope: Scope) -> Decorations:
    context = Context(module=function.module, is_quiet=True)
    transformations: list[Decoration] = []
    is_opaque = False
    for node in function.decorators:
        target, keywords = node, ()
        if isinstance(node, ast.Call):
            target, keywords = node.func, tuple(node.keywords)
            if _name(machine, target, scope, context) == "functools.partial" and node.args:
                target = node.args[0]
        name = _name(machine, target, scope, context)
        transformation = TRANSFORMATIONS.get(name)
        if transformation is not None:
            statics = static_parameters(machine, keywords, function, scope, context)
            transformations.append(Decoration(transformation, keywords, node, statics))
        elif name not in _TRANSPARENT and not isinstance(target, ast.Attribute):
            is_opaque = True
        elif isinstance(target, ast.Attribute) and name not in _TRANSPARENT:
            # `@x.setter` and `@f.defjvp` leave the function alone; a library's wrapper may not.
            is_opaque = is_opaque or target.attr not in ("setter", "getter", "deleter", "defjvp", "defvjp", "def_vmap")
    return Decorations(tuple(transformations), is_opaque)


def _name(machine: Machine, node: ast.expr, scope: Scope, context: Context) -> str:
    value = machine.evaluate(node, scope, context) if isinstance(node, (ast.Name, ast.Attribute)) else None
    return value.name if isinstance(value, External) else ""
