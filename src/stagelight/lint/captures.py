"""What jitted functions capture from outside, and where the program changes it."""

import ast
from collections.abc import Iterable, Iterator

import msgspec

from stagelight.lint.decorations import decorations_of
from stagelight.lint.definitions import ClassDefinition, FunctionDefinition
from stagelight.lint.machine import Machine
from stagelight.lint.module_index import ModuleIndex
from stagelight.lint.pytree_classes import is_pytree_class, library_kind
from stagelight.lint.transformations import Staging
from stagelight.lint.values import Closure, Transformed

_CONSTRUCTORS = ("__init__", "__post_init__", "setup", "__new__", "__setstate__", "__enter__")


class _CapturedGlobals(msgspec.Struct, frozen=True, eq=False):
    by_name: dict[str, list[tuple[str, ast.Name]]]


def captured_globals(machine: Machine, module: ModuleIndex) -> dict[str, list[tuple[str, ast.Name]]]:
    """Return, for each name of a module, the jitted functions that read it and where; computed once."""
    key = ("captured globals", module.name)
    found = machine.notes.get(key)
    if not isinstance(found, _CapturedGlobals):
        found = machine.notes[key] = _CapturedGlobals(_read_globals(machine, module))
    return found.by_name


def _read_globals(machine: Machine, module: ModuleIndex) -> dict[str, list[tuple[str, ast.Name]]]:
    captured: dict[str, list[tuple[str, ast.Name]]] = {}
    for called, function in _jitted_functions(machine, module):
        names = [node for node in ast.walk(function.node) if isinstance(node, ast.Name)]
        own = {node.id for node in names if isinstance(node.ctx, ast.Store)} | set(function.parameters.names)
        first: dict[str, ast.Name] = {}
        for node in names:
            if node.id not in own and node.id in module.assigned:
                first.setdefault(node.id, node)
        for name, node in first.items():
            captured.setdefault(name, []).append((called, node))
    return captured


def _jitted_functions(machine: Machine, module: ModuleIndex) -> Iterator[tuple[str, FunctionDefinition]]:
    for name in (*module.functions, *module.assigned):
        value = machine.global_value(module, name)
        is_jit = isinstance(value, Transformed) and value.transformation.staging is Staging.JIT
        if isinstance(value, Closure) and decorations_of(machine, value.function).of(Staging.JIT) is not None:
            yield name, value.function
        elif isinstance(value, Transformed) and is_jit and isinstance(value.function, Closure):
            yield name, value.function.function


def is_between_calls(assigned: ast.stmt, function: str, body: ast.AST) -> bool:
    """Whether the function is called before a statement and again after it, in one body read from top to bottom."""
    lines = [
        node.lineno
        for node in own_nodes(body)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function
    ]
    return bool(lines) and min(lines) < assigned.lineno < max(lines)


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what a function contains, the bodies of inner functions and classes left out."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield child
            yield from own_nodes(child)


def captured_attributes(machine: Machine, definition: ClassDefinition) -> Iterator[tuple[str, str]]:
    """Yield (attribute, method) for what jitted methods read from a ``self`` that is not part of the cache key."""
    is_traced = is_pytree_class(machine, definition) or library_kind(machine, definition) is not None
    if is_traced or definition.node.decorator_list or {"__hash__", "__eq__"} & definition.methods.keys():
        return
    for method in _jitted_methods(machine, definition):
        stored = set(_attributes_of_self(method, ast.Store))
        read = set(_attributes_of_self(method, ast.Load))
        for attribute in sorted(read - stored - definition.methods.keys()):
            yield attribute, method.plain_name


def _jitted_methods(machine: Machine, definition: ClassDefinition) -> Iterator[FunctionDefinition]:
    bound = set(_names_jitted_in(definition.methods.get("__init__"), machine))
    for name, method in definition.methods.items():
        decoration = decorations_of(machine, method).of(Staging.JIT)
        is_static_self = decoration is not None and "self" in decoration.statics.names
        if name in bound or is_static_self:
            yield method


def _names_jitted_in(constructor: FunctionDefinition | None, machine: Machine) -> Iterator[str]:
    """Yield the methods that a constructor stores as ``self.a = jax.jit(self.b)``."""
    if constructor is None:
        return
    for node in ast.walk(constructor.node):
        match node:
            case ast.Call(func=ast.Name(id="jit") | ast.Attribute(attr="jit"), args=[ast.Attribute() as operand, *_]):
                if isinstance(operand.value, ast.Name) and operand.value.id == "self":
                    yield operand.attr
            case _:
                pass


def _attributes_of_self(method: FunctionDefinition, kind: type[ast.expr_context]) -> Iterator[str]:
    for node in ast.walk(method.node):
        is_one = isinstance(node, ast.Attribute) and isinstance(node.ctx, kind) and isinstance(node.value, ast.Name)
        if isinstance(node, ast.Attribute) and is_one and ast.unparse(node.value) == "self":
            yield node.attr


def changes_by_attribute(definition: ClassDefinition) -> dict[str, list[ast.stmt]]:
    """Return, for each attribute, the statements outside of constructors that compute it from its own old value."""
    changes: dict[str, list[ast.stmt]] = {}
    for name, method in definition.methods.items():
        if name in _CONSTRUCTORS:
            continue
        statements = (node for node in ast.walk(method.node) if isinstance(node, ast.stmt))
        found = [(attribute, node) for node in statements for attribute in _recomputed(node)]
        if found and not _jits_again(method):
            for attribute, node in found:
                changes.setdefault(attribute, []).append(node)
    return changes


def _recomputed(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.AugAssign):
        return _self_attributes([node.target])
    if isinstance(node, ast.Assign):
        read = set(_self_attributes(ast.walk(node.value)))
        return [attribute for attribute in _self_attributes(node.targets) if attribute in read]
    return []


def _self_attributes(nodes: Iterable[ast.AST]) -> list[str]:
    return [
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    ]


def _jits_again(method: FunctionDefinition) -> bool:
    names = {n.attr for n in ast.walk(method.node) if isinstance(n, ast.Attribute)}
    names |= {n.id for n in ast.walk(method.node) if isinstance(n, ast.Name)}
    return bool(names & {"jit", "pmap", "clear_caches", "clear_cache"})
