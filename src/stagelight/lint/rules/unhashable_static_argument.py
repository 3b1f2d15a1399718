"""A static argument cannot be hashed.

## What it does

Finds lists, dictionaries, sets and arrays that are passed for, are the default of, or are the annotated type of a
static parameter; and static parameters whose type is a dataclass that is not frozen.

## Why it costs

Static values are part of the cache key, which needs their hash. JAX raises `ValueError: Non-hashable static arguments
are used in a jit function`.

## Example

```python
@partial(jax.jit, static_argnames="sizes")
def f(x, sizes):
    return x.reshape(sizes)


def main(x):
    return f(x, sizes=[2, 2])
```

## Use instead

```python
@partial(jax.jit, static_argnames="sizes")
def f(x, sizes):
    return x.reshape(sizes)


def main(x):
    return f(x, sizes=(2, 2))
```

Tuples for lists, `frozen=True` for dataclasses, tuples of pairs for dictionaries. An array is data: do not make it
static.

## When it is fine

With objects that define `__hash__` and `__eq__`.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.annotations import last_name
from stagelight.lint.events import EntryCalled, EntryMade
from stagelight.lint.machine import Machine
from stagelight.lint.pytree_classes import decorator_named
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.safe_edits import frozen_dataclass, tuple_for_list
from stagelight.lint.values import ClassValue, DeviceArray, HostArray, Mapping, Sequence, Value

_UNHASHABLE_ANNOTATIONS = ("list", "List", "dict", "Dict", "set", "Set", "ndarray", "Array", "DataFrame")
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def _find(event: EntryMade | EntryCalled, machine: Machine) -> Iterator[Draft]:
    if isinstance(event, EntryCalled):
        for name in sorted(event.statics & event.bound.keys()):
            yield from _in_argument(name, *event.bound[name])
    else:
        yield from _in_parameters(event, machine)


def _in_argument(name: str, node: ast.expr, value: Value) -> Iterator[Draft]:
    if isinstance(value, (DeviceArray, HostArray)):
        message = f"an array is passed for the static parameter `{name}`, and arrays cannot be hashed"
        yield Draft(node=node, message=message, hint="do not make it static, or convert it: int(…), tuple(…)")
    elif isinstance(node, _DISPLAYS) or (isinstance(value, Sequence) and value.is_list) or isinstance(value, Mapping):
        kind = "list" if isinstance(node, (ast.List, ast.ListComp)) or isinstance(value, Sequence) else "container"
        message = f"a {kind} is passed for the static parameter `{name}`, and it cannot be hashed"
        yield Draft(node=node, message=message, hint="pass a tuple", edits=tuple_for_list(node))


def _in_parameters(event: EntryMade, machine: Machine) -> Iterator[Draft]:
    parameters = event.function.parameters
    for node in parameters.nodes:
        if node.arg not in event.statics:
            continue
        default = parameters.defaults.get(node.arg)
        if isinstance(default, _DISPLAYS):
            message = f"the default of the static parameter `{node.arg}` cannot be hashed"
            yield Draft(node=default, message=message, hint="use a tuple", edits=tuple_for_list(default))
        annotation = node.annotation
        if annotation is not None and _takes_unhashable(event, node.arg, last_name(annotation)):
            kind = last_name(annotation)
            message = f"the static parameter `{node.arg}` is annotated as {kind}, which cannot be hashed"
            yield Draft(node=node, message=message, hint="do not make it static, or take a tuple")
        elif isinstance(annotation, ast.Name):
            yield from _in_dataclass(event, machine, node, annotation)


def _takes_unhashable(event: EntryMade, name: str, kind: str) -> bool:
    # Where `jit` is called, the caller may convert what the annotation names; and an annotation alone proves little:
    # the body must also use the parameter as only a value of that type can be used.
    if not event.is_decorator or kind not in _UNHASHABLE_ANNOTATIONS:
        return False
    uses = _uses_array if kind in ("Array", "ndarray") else _uses_container
    return any(uses(name, node) for node in ast.walk(event.function.node))


def _uses_array(name: str, node: ast.AST) -> bool:
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Sub, ast.Div, ast.MatMult, ast.Pow)):
        return False
    return any(isinstance(side, ast.Name) and side.id == name for side in (node.left, node.right))


def _uses_container(name: str, node: ast.AST) -> bool:
    is_method = isinstance(node, ast.Attribute) and node.attr in ("items", "keys", "values", "append", "union")
    return isinstance(node, ast.Attribute) and is_method and isinstance(node.value, ast.Name) and node.value.id == name


def _in_dataclass(event: EntryMade, machine: Machine, node: ast.arg, annotation: ast.Name) -> Iterator[Draft]:
    value = machine.global_value(event.function.module, annotation.id)
    if not isinstance(value, ClassValue):
        return
    definition = value.definition
    decorator = decorator_named(definition, "dataclass")
    if decorator is None or "__hash__" in definition.methods or not _is_standard(decorator):
        return
    given = {k.arg for k in decorator.keywords} if isinstance(decorator, ast.Call) else set[str | None]()
    if given & {"frozen", "unsafe_hash", "eq", None} or definition.node.bases:
        return
    here = definition.module is event.function.module
    yield Draft(
        node=node,
        message=f"the static parameter `{node.arg}` takes {definition.name}, a dataclass that is not frozen",
        hint="declare it with @dataclass(frozen=True)",
        edits=frozen_dataclass(definition, decorator) if here else (),
    )


def _is_standard(decorator: ast.expr) -> bool:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(target, ast.Name) or (
        isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "dataclasses"
    )


RULE = Rule(slug="unhashable-static-argument", events=(EntryMade, EntryCalled), find=_find)
