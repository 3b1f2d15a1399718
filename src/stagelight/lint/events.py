"""What the interpreter announces while it follows a program; rules listen to these."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

import msgspec

from stagelight.lint.tracing_context import Context
from stagelight.lint.values import Value

if TYPE_CHECKING:
    from stagelight.lint.definitions import ClassDefinition, FunctionDefinition
    from stagelight.lint.module_index import ModuleIndex
    from stagelight.lint.scope import Scope
    from stagelight.lint.transformations import Transformation


class Event(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """Something that happens at a node of the program."""

    node: ast.AST
    context: Context


type Demand = Literal["if", "while", "conditional expression", "assert", "comprehension", "match", "and", "or", "not"]


class BoolNeeded(Event, frozen=True, eq=False, kw_only=True):
    """Python needs the truth of a value."""

    value: Value
    demand: Demand


class Compared(Event, frozen=True, eq=False, kw_only=True):
    """Values are compared; ``values`` has one entry more than ``node.ops``."""

    node: ast.Compare
    values: tuple[Value, ...]


class NumberNeeded(Event, frozen=True, eq=False, kw_only=True):
    """Python needs a number, or its text, from a value: ``int``, ``float``, ``.item``, ``math``, a format."""

    value: Value
    by: str


class IndexNeeded(Event, frozen=True, eq=False, kw_only=True):
    """Python needs an index or a length from a value."""

    value: Value
    use: Literal["range", "slice", "sequence", "array"]


class ExtremeNeeded(Event, frozen=True, eq=False, kw_only=True):
    """A builtin orders or joins values by their truth: ``min``, ``max``, ``sorted``, ``any``, ``all``."""

    builtin: str
    values: tuple[Value, ...]


class JaxCalled(Event, frozen=True, eq=False, kw_only=True):
    """A JAX function is called inside a trace."""

    node: ast.Call
    name: str
    arguments: tuple[Value, ...]
    keywords: dict[str, Value]
    has_star: bool = False


class NumpyCalled(Event, frozen=True, eq=False, kw_only=True):
    """A NumPy function is called inside a trace, or a NumPy array meets a tracer."""

    name: str
    values: tuple[Value, ...]


class HostCalled(Event, frozen=True, eq=False, kw_only=True):
    """A function with an effect on the host is called inside a trace: print, logging, time, random."""

    name: str
    values: tuple[Value, ...]


class Subscripted(Event, frozen=True, eq=False, kw_only=True):
    """An array is indexed; ``is_update`` for ``x.at[…]``."""

    node: ast.Subscript
    base: Value
    indices: tuple[Value, ...]
    is_update: bool


class ItemStored(Event, frozen=True, eq=False, kw_only=True):
    """``base[…] = value``; ``is_global`` when the container outlives the trace."""

    node: ast.Subscript
    base: Value
    value: Value
    is_global: bool


class ContainerGrown(Event, frozen=True, eq=False, kw_only=True):
    """A method that keeps its argument is called on a container that outlives the trace."""

    node: ast.Call
    container: str
    values: tuple[Value, ...]


class AttributeStored(Event, frozen=True, eq=False, kw_only=True):
    """``object.name = value``."""

    node: ast.Attribute
    base: Value
    value: Value


class NameRebound(Event, frozen=True, eq=False, kw_only=True):
    """A global or nonlocal name is assigned inside a trace."""

    name: str
    kind: Literal["global", "nonlocal"]
    value: Value


class LoopUnrolled(Event, frozen=True, eq=False, kw_only=True):
    """A Python loop ran while tracing: how often, where that is known, and whether its body made data."""

    node: ast.For | ast.AsyncFor
    iterated: Value
    count: int | None
    makes_data: bool


class BranchesTraced(Event, frozen=True, eq=False, kw_only=True):
    """``cond`` or ``switch`` traced its branches, with these results."""

    node: ast.Call
    name: str
    results: tuple[Value, ...]


class CarryTraced(Event, frozen=True, eq=False, kw_only=True):
    """``scan``, ``while_loop`` or ``fori_loop`` traced its body: the carry before and after."""

    node: ast.Call
    name: str
    start: Value
    result: Value


class EntryMade(Event, frozen=True, eq=False, kw_only=True):
    """A function of the program is given to a transformation with a cache, by decorator or by call."""

    function: FunctionDefinition
    transformation: Transformation
    statics: frozenset[str]
    misnamed: tuple[tuple[ast.expr, str | int], ...]
    keywords: tuple[ast.keyword, ...]
    is_decorator: bool
    is_bound: bool = False


class JitMade(Event, frozen=True, eq=False, kw_only=True):
    """``jit`` is applied at run time on the host: in a loop, or in a function that is called again and again."""

    node: ast.expr | ast.FunctionDef | ast.AsyncFunctionDef
    transformation: Transformation
    operand: ast.expr | None
    value: Value
    scope: Scope
    is_called: bool


class EntryCalled(Event, frozen=True, eq=False, kw_only=True):
    """A jitted function of the program is called from the host: each argument's expression and value."""

    node: ast.Call
    function: FunctionDefinition
    statics: frozenset[str]
    bound: dict[str, tuple[ast.expr, Value]]
    scope: Scope


class FunctionTraced(Event, frozen=True, eq=False, kw_only=True):
    """The body of a function of the program was interpreted inside a trace."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    function: FunctionDefinition
    result: Value


class ClassRead(Event, frozen=True, eq=False, kw_only=True):
    """A class of the checked module, once."""

    node: ast.ClassDef
    definition: ClassDefinition


class HostRead(Event, frozen=True, eq=False, kw_only=True):
    """The body of a function, or of the module, was interpreted on the host, once."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module
    module: ModuleIndex
    function: FunctionDefinition | None
    scope: Scope
