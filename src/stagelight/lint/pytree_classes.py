"""Which classes are pytrees, and of which library."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

import msgspec

from stagelight.lint.annotations import last_name
from stagelight.lint.definitions import ClassDefinition, FunctionDefinition
from stagelight.lint.values import ClassValue, External

if TYPE_CHECKING:
    from stagelight.lint.machine import Machine

_DEEPEST_BASES = 5
_PYTREE_DECORATORS = ("register_pytree", "register_dataclass", "register_static", "pytree", "struct", "Pytree")
_PYTREE_BASES = frozenset(["NamedTuple", "PyTreeNode", "Pytree", "PyTree", "TrainState", "Module", "Optimizer"])

type Library = Literal["linen", "nnx", "equinox"]


def dotted_text(node: ast.expr) -> str:
    """Return a dotted name as written, calls and subscripts left out."""
    if isinstance(node, ast.Call):
        return dotted_text(node.func)
    if isinstance(node, ast.Subscript):
        return dotted_text(node.value)
    if isinstance(node, ast.Attribute):
        return f"{dotted_text(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


class _Bases(msgspec.Struct, frozen=True, eq=False):
    classes: list[ClassDefinition | str]


def bases_of(machine: Machine, definition: ClassDefinition) -> list[ClassDefinition | str]:
    """Return the base classes, read once per machine: definitions of the program, or dotted names outside it."""
    key = ("bases", id(definition))
    found = machine.notes.get(key)
    if not isinstance(found, _Bases):
        found = machine.notes[key] = _Bases(_read_bases(machine, definition))
    return found.classes


def _read_bases(machine: Machine, definition: ClassDefinition) -> list[ClassDefinition | str]:
    found: list[ClassDefinition | str] = []
    for node in definition.node.bases:
        text = dotted_text(node)
        first, _, rest = text.partition(".")
        value = machine.global_value(definition.module, first)
        if rest and isinstance(value, External):
            value = machine.external(f"{value.name}.{rest}")
        if isinstance(value, ClassValue):
            found.append(value.definition)
        else:
            found.append(value.name if isinstance(value, External) else text)
    return found


def library_kind(machine: Machine, definition: ClassDefinition, depth: int = 0) -> Library | None:
    """Return the library whose module class this is, if any."""
    for base in bases_of(machine, definition):
        if isinstance(base, ClassDefinition):
            kind = library_kind(machine, base, depth + 1) if depth < _DEEPEST_BASES else None
        elif base.startswith("flax.linen") or base == "nn.Module":
            kind = "linen"
        elif base.startswith("flax.nnx"):
            kind = "nnx"
        else:
            kind = "equinox" if base.startswith(("equinox.Module", "eqx.Module")) else None
        if kind is not None:
            return kind
    return None


def is_pytree_class(machine: Machine, definition: ClassDefinition, depth: int = 0) -> bool:
    """Whether objects of the class are taken apart by JAX; a class that another hand may register counts as one."""
    if definition.name in _PYTREE_BASES or definition.node.keywords or "__init_subclass__" in definition.methods:
        return True
    for decorator in definition.node.decorator_list:
        text = ast.unparse(decorator)
        if any(word in text for word in _PYTREE_DECORATORS) or "chex.dataclass" in text:
            return True
    for base in bases_of(machine, definition):
        if isinstance(base, ClassDefinition):
            if depth < _DEEPEST_BASES and is_pytree_class(machine, base, depth + 1):
                return True
        elif base.rpartition(".")[2] in _PYTREE_BASES:
            return True
    return "tree_flatten" in definition.methods or _is_registered(definition)


def _is_registered(definition: ClassDefinition) -> bool:
    # `jax.tree_util.register_pytree_node(Class, …)` anywhere in the module.
    module = definition.module
    return any(definition.name in line for line in module.registrations)


def method_of(machine: Machine, definition: ClassDefinition, name: str, depth: int = 0) -> FunctionDefinition | None:
    """Return a method, looked up in the class and its bases in the program."""
    found = definition.methods.get(name)
    if found is not None or depth > _DEEPEST_BASES:
        return found
    for base in bases_of(machine, definition):
        if isinstance(base, ClassDefinition):
            found = method_of(machine, base, name, depth + 1)
            if found is not None:
                return found
    return None


def decorator_named(definition: ClassDefinition, name: str) -> ast.expr | None:
    """Return the decorator whose last name is this, or None."""
    for decorator in definition.node.decorator_list:
        if last_name(decorator.func if isinstance(decorator, ast.Call) else decorator) == name:
            return decorator
    return None
