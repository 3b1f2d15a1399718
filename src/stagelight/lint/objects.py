"""Objects that the program makes: how a class fills their fields."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import msgspec

from stagelight.lint.arguments import Arguments
from stagelight.lint.class_order import HARMLESS_BASES, class_order
from stagelight.lint.definitions import ClassDefinition, FunctionDefinition
from stagelight.lint.function_calls import call_function, default_value
from stagelight.lint.pytree_classes import dotted_text, is_pytree_class, method_of
from stagelight.lint.scope import Scope
from stagelight.lint.tracing_context import Context
from stagelight.lint.transformed_calls import call_value
from stagelight.lint.value_key import value_key
from stagelight.lint.values import UNKNOWN, Instance, Known, Value, origins_of
from stagelight.lint.word_list import names

if TYPE_CHECKING:
    from stagelight.lint.machine import Machine

_FIELD_BASES = names("typing.NamedTuple NamedTuple equinox.Module eqx.Module flax.struct.PyTreeNode")
_FIELD_MAKERS = names("field static_field")
_DEEPEST_CONSTRUCTION = 12


class Construction(msgspec.Struct, frozen=True, eq=False):
    """How objects of a class get their fields.

    Attributes:
        is_known: whether the program shows all of it.
        constructor: the ``__init__`` that runs, if the class has one.
        fields: without one, the fields in the order of the arguments, and the class that each is written in.
        after: the ``__post_init__`` that runs then.
    """

    is_known: bool
    constructor: FunctionDefinition | None = None
    fields: tuple[tuple[ast.AnnAssign, ClassDefinition], ...] = ()
    after: FunctionDefinition | None = None


def construct(
    machine: Machine, definition: ClassDefinition, arguments: Arguments, context: Context, node: ast.AST | None
) -> Instance:
    """Return a new object, its fields filled as its class fills them."""
    is_traced = context.is_traced and is_pytree_class(machine, definition)
    origins = origins_of(*arguments.all()) if is_traced else frozenset[str]()
    made = construction_of(machine, definition)
    if not made.is_known or arguments.has_star or context.depth > _DEEPEST_CONSTRUCTION or not context.is_followed:
        return Instance(definition, origins, is_traced)
    instance = Instance(definition, origins, is_traced, {})
    _fill(machine, instance, made, arguments, context, node)
    return instance


def _fill(
    machine: Machine,
    instance: Instance,
    made: Construction,
    arguments: Arguments,
    context: Context,
    node: ast.AST | None,
) -> None:
    fields = instance.fields
    assert fields is not None
    key = (
        id(instance.definition),
        tuple(map(value_key, arguments.positional)),
        tuple((name, value_key(value)) for name, value in arguments.keywords.items()),
        context.stage,
        context.is_quiet,
    )
    known = machine.made.get(key)
    if known is not None:
        fields.update(known)
        return
    machine.under_construction.append(instance)
    try:
        if made.constructor is not None:
            call_function(machine, made.constructor, arguments, context, node=node, owner=instance)
        else:
            fields.update(_fields_from(machine, made, arguments, context))
            if made.after is not None:
                call_function(machine, made.after, Arguments(), context, node=node, owner=instance)
    finally:
        machine.under_construction.pop()
    machine.made[key] = dict(fields)
    machine.kept.append(fields)


def _fields_from(machine: Machine, made: Construction, arguments: Arguments, context: Context) -> dict[str, Value]:
    taken = [field for field in made.fields if _takes_argument(field[0])]
    filled: dict[str, Value] = {}
    for field, owner in made.fields:
        filled[_name(field)] = _default_of(machine, field, owner)
    for (field, owner), value in zip(taken, arguments.positional, strict=False):
        filled[_name(field)] = _converted(machine, field, owner, value, context)
    for field, owner in taken:
        if _name(field) in arguments.keywords:
            filled[_name(field)] = _converted(machine, field, owner, arguments.keywords[_name(field)], context)
    return filled


def _name(field: ast.AnnAssign) -> str:
    return field.target.id if isinstance(field.target, ast.Name) else ""


def _options(field: ast.AnnAssign) -> dict[str | None, ast.expr]:
    call = field.value
    if isinstance(call, ast.Call) and dotted_text(call.func).rpartition(".")[2] in _FIELD_MAKERS:
        return {keyword.arg: keyword.value for keyword in call.keywords}
    return {}


def _takes_argument(field: ast.AnnAssign) -> bool:
    option = _options(field).get("init")
    return not (isinstance(option, ast.Constant) and option.value is False)


def _converted(machine: Machine, field: ast.AnnAssign, owner: ClassDefinition, value: Value, context: Context) -> Value:
    converter = _options(field).get("converter")
    if converter is None:
        return value
    reading = Context(module=owner.module, stage=context.stage, is_quiet=True, depth=context.depth + 1)
    scope = Scope()
    return call_value(machine, machine.evaluate(converter, scope, reading), Arguments((value,)), reading, None, scope)


def _default_of(machine: Machine, field: ast.AnnAssign, owner: ClassDefinition) -> Value:
    default = field.value
    options = _options(field)
    if options or (isinstance(default, ast.Call) and not options):
        default = options.get("default")
    if default is None or "converter" in options:
        return UNKNOWN
    value = default_value(machine, FunctionDefinition(_NOTHING, owner.module, scope=Scope()), default)
    return value if not isinstance(value, Known) or isinstance(default, ast.Constant) else UNKNOWN


_NOTHING = ast.Lambda(
    ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[]), ast.Constant(None)
)


def construction_of(machine: Machine, definition: ClassDefinition) -> Construction:
    """Read how a class makes its objects, once per machine."""
    key = ("construction", id(definition))
    found = machine.notes.get(key)
    if not isinstance(found, Construction):
        found = machine.notes[key] = _read(machine, definition)
    return found


def _read(machine: Machine, definition: ClassDefinition) -> Construction:
    order = class_order(machine, definition)
    is_known = all(base in HARMLESS_BASES for base in order.outside)
    makers = [one.methods["__new__"] for one in order.definitions if "__new__" in one.methods]
    if not is_known or not all(map(_makes_plainly, makers)):
        return Construction(is_known=False)
    constructor = method_of(machine, definition, "__init__")
    is_made_of_fields = _has_fields(machine, definition)
    if constructor is not None and not (is_made_of_fields and constructor.owner is not definition):
        return Construction(is_known=True, constructor=constructor)
    if not is_made_of_fields:
        return Construction(is_known=constructor is None)
    return Construction(
        is_known=True,
        fields=_fields_of(order.definitions),
        after=method_of(machine, definition, "__post_init__"),
    )


def _makes_plainly(maker: FunctionDefinition) -> bool:
    """Whether a ``__new__`` gives back a new object of the class, its fields still empty."""
    if isinstance(maker.node, ast.Lambda):
        return False
    last = maker.node.body[-1]
    returned = ast.unparse(last.value) if isinstance(last, ast.Return) and last.value is not None else ""
    stored = any(isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) for n in ast.walk(maker.node))
    makes = {
        ast.unparse(n.value)
        for n in ast.walk(maker.node)
        if isinstance(n, ast.Assign) and returned in [ast.unparse(t) for t in n.targets]
    } | {returned}
    return not stored and any("super().__new__(cls" in one or "object.__new__(cls" in one for one in makes)


def _has_fields(machine: Machine, definition: ClassDefinition) -> bool:
    # PEP 557 and PEP 681: a decorator, a base or a metaclass makes the constructor from the annotations.
    order = class_order(machine, definition)
    if any(base in _FIELD_BASES for base in order.outside):
        return True
    if any("dataclass" in ast.unparse(d) for d in definition.node.decorator_list):
        return True
    return any(_transforms(machine, one) for one in order.definitions)


def _transforms(machine: Machine, definition: ClassDefinition) -> bool:
    if _is_marked(definition):
        return True
    for keyword in definition.node.keywords:
        if keyword.arg == "metaclass":
            metaclass = machine.class_named(definition.module, keyword.value)
            return metaclass is not None and _is_marked(metaclass)
    return False


def _is_marked(definition: ClassDefinition) -> bool:
    return any("dataclass_transform" in ast.unparse(d) for d in definition.node.decorator_list)


def _fields_of(definitions: tuple[ClassDefinition, ...]) -> tuple[tuple[ast.AnnAssign, ClassDefinition], ...]:
    fields: dict[str, tuple[ast.AnnAssign, ClassDefinition]] = {}
    for definition in reversed(definitions):
        for name, field in definition.fields.items():
            if "ClassVar" not in ast.unparse(field.annotation):
                fields[name] = (field, definition)
    return tuple(fields.values())
