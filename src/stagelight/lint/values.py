"""Abstract values: what is known about an expression before the program runs.

The kinds follow the binding times, and say more where a rule needs it. ``Array`` is *certainly* a tracer; ``Tree`` is a
traced argument that may be an array or a container of arrays; ``Maybe`` may or may not hold data. Only the first is
proof, and every rule is built on that.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Literal

import msgspec

from stagelight.model.binding_time import BindingTime

if TYPE_CHECKING:
    import ast

    from stagelight.lint.definitions import ClassDefinition, FunctionDefinition
    from stagelight.lint.scope import Scope
    from stagelight.lint.transformations import Transformation

type Origins = frozenset[str]
NOWHERE: Origins = frozenset()

type Strength = Literal["", "weak", "strong"]
type Number = Literal["", "bool", "int", "float"]


class Absent(enum.Enum):
    """Marks a value whose Python literal is not known; None is a literal."""

    LITERAL = enum.auto()
    NUMBER = enum.auto()
    """It is a number, but which is not known."""


class Value(msgspec.Struct, frozen=True):
    """Base of all abstract values."""


class Unknown(Value, frozen=True):
    """Nothing is known, except that it is not None where ``is_present``: every rule is silent."""

    is_present: bool = False


class Known(Value, frozen=True):
    """A Python value that exists while tracing, of the binding time constant, static or metadata."""

    time: BindingTime
    literal: object = Absent.LITERAL


class Array(Value, frozen=True):
    """A tracer, for certain: data that exists only when the compiled program runs."""

    origins: Origins = NOWHERE
    is_mask: bool = False
    strength: Strength = ""
    number: Number = ""


class Tree(Value, frozen=True):
    """A traced argument or result: an array or a container of arrays.

    ``is_parameter`` marks a parameter of a traced function as it was passed, on which Python operators prove an array;
    ``is_full`` says that every leaf is a tracer.
    """

    origins: Origins = NOWHERE
    is_parameter: bool = False
    is_present: bool = False
    is_full: bool = False


class Maybe(Value, frozen=True):
    """Perhaps data, perhaps a Python value.

    ``is_flag`` marks a traced ``bool`` parameter that has a default; ``is_operand`` what a loop or branch is given: an
    array, a container of arrays or nothing at all, so that Python's operators prove an array.
    """

    origins: Origins = NOWHERE
    is_flag: bool = False
    is_present: bool = False
    is_operand: bool = False


class DeviceArray(Value, frozen=True):
    """A concrete JAX array made outside a trace; captured, it is baked in, and operations on it give tracers."""

    strength: Strength = ""
    number: Number = ""
    length: int | None = None


class HostArray(Value, frozen=True):
    """A NumPy array made from Python values."""

    number: Number = ""
    length: int | None = None


class Sequence(Value, frozen=True):
    """A tuple or list whose items are known one by one."""

    items: tuple[Value, ...] = ()
    is_list: bool = False


class Mapping(Value, frozen=True):
    """A dictionary written out with literal keys."""

    items: tuple[tuple[object, Value], ...] = ()


class Generator(Value, frozen=True):
    """A generator expression, by its element, and by its items where they are known one by one."""

    element: Value
    items: tuple[Value, ...] | None = None


class Closure(Value, frozen=True, eq=False):
    """A function of the program, with the scope it closes over."""

    function: FunctionDefinition
    scope: Scope | None = None
    is_local: bool = False
    is_bare: bool = False
    """Without what its decorators make of it."""


class Method(Value, frozen=True, eq=False):
    """A function bound to an object."""

    function: FunctionDefinition
    owner: Value


class Partial(Value, frozen=True, eq=False):
    """``functools.partial`` of a function."""

    function: Value
    arguments: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()


class Transformed(Value, frozen=True, eq=False):
    """``jax.jit(f)``, ``jax.vmap(f)`` and the like; ``keywords`` are those of the call that made it."""

    transformation: Transformation
    function: Value
    keywords: tuple[ast.keyword, ...] = ()


class Transformer(Value, frozen=True, eq=False):
    """``functools.partial(jax.jit, …)`` before it got its function."""

    transformation: Transformation
    keywords: tuple[ast.keyword, ...] = ()


class External(Value, frozen=True):
    """Something outside the program, by its canonical dotted name."""

    name: str


class ClassValue(Value, frozen=True, eq=False):
    """A class of the program."""

    definition: ClassDefinition


class Instance(Value, frozen=True, eq=False):
    """An object of a class of the program; ``is_traced`` when it came in as a traced pytree.

    ``fields`` holds what its attributes are known to hold, where the program itself makes the object; attributes may
    be set later, so that it is one dictionary for all references to the object.
    """

    definition: ClassDefinition
    origins: Origins = NOWHERE
    is_traced: bool = False
    fields: dict[str, Value] | None = None


class LeafWise(Value, frozen=True):
    """A pytree wrapped by ``equinox.internal.ω``, on which operators work leaf by leaf; the wrapper is no pytree."""

    tree: Value


class Super(Value, frozen=True, eq=False):
    """``super()``: an object, seen from the class after ``definition`` in its order of bases."""

    definition: ClassDefinition
    owner: Value


UNKNOWN = Unknown()
CONSTANT = Known(BindingTime.CONSTANT)
STATIC = Known(BindingTime.STATIC)
METADATA = Known(BindingTime.METADATA)
STATIC_NUMBER = Known(BindingTime.STATIC, Absent.NUMBER)
METADATA_NUMBER = Known(BindingTime.METADATA, Absent.NUMBER)
NONE = Known(BindingTime.CONSTANT, None)


def known_from_literal(literal: object) -> Known:
    """Return the value of a constant in the source."""
    if isinstance(literal, (str, int, float, bool, type(None))):
        return NONE if literal is None else Known(BindingTime.CONSTANT, literal)
    return CONSTANT


def is_none(value: Value) -> bool:
    """Whether the value is None for certain."""
    return type(value) is Known and value.literal is None


def is_never_none(value: Value) -> bool:
    """Whether the value is certainly not None."""
    if isinstance(value, (Unknown, Tree, Maybe)):
        return value.is_present
    if isinstance(value, Known):
        return value.literal is Absent.NUMBER or (value.literal is not None and value.literal is not Absent.LITERAL)
    return not isinstance(value, External)


def literal_of(value: Value) -> object:
    """Return the Python literal of a value, or ``Absent.LITERAL``."""
    is_given = type(value) is Known and value.literal is not Absent.NUMBER
    return value.literal if type(value) is Known and is_given else Absent.LITERAL


def is_number(value: Value) -> bool:
    """Whether the value is a Python number for certain."""
    return type(value) is Known and (value.literal is Absent.NUMBER or isinstance(value.literal, (int, float)))


def origins_of(*values: Value) -> Origins:
    """Return the names of the arguments that the values flow from."""
    found: set[str] = set()
    for value in values:
        if isinstance(value, (Array, Tree, Maybe, Instance)):
            found |= value.origins
        elif isinstance(value, Sequence):
            found |= origins_of(*value.items)
        elif isinstance(value, Mapping):
            found |= origins_of(*(item for _, item in value.items))
        elif isinstance(value, Generator):
            found |= origins_of(value.element)
    return frozenset(found)


def parts_of(value: Value) -> tuple[Value, ...]:
    """Return the items of a container that is known item by item, or nothing."""
    if isinstance(value, Sequence):
        return value.items
    if isinstance(value, Mapping):
        return tuple(item for _, item in value.items)
    return ()


def has_array(value: Value) -> bool:
    """Whether the value is, or certainly contains, a tracer."""
    return type(value) is Array or any(has_array(part) for part in parts_of(value))


def may_hold_data(value: Value) -> bool:
    """Whether the value is, or may contain, a tracer that came in as data."""
    return type(value) in (Array, Tree, Maybe) or any(may_hold_data(part) for part in parts_of(value))


def is_python(value: Value) -> bool:
    """Whether the value is a Python value while tracing, for certain."""
    return type(value) is Known


def is_parameter(value: Value) -> bool:
    """Whether the value is a traced parameter exactly as it was passed."""
    return type(value) is Tree and value.is_parameter
