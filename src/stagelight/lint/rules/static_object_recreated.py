"""A new object is passed for a static argument on every call.

## What it does

Finds objects that are made in the call itself, or in the same round of a loop, and passed for a static parameter, where
their class compares objects by identity.

## Why it costs

Static values are compared with `==`. Without `__eq__` and `__hash__` an object equals nothing but itself, so each new
object is a new cache entry, however equal its attributes are: it traces and compiles again.

## Example

```python
class Settings:
    def __init__(self, rate):
        self.rate = rate


@partial(jax.jit, static_argnames="settings")
def step(x, settings):
    return x * settings.rate


def run(x):
    for _ in range(10):
        x = step(x, settings=Settings(0.1))
    return x
```

## Use instead

```python
@dataclasses.dataclass(frozen=True)
class Settings:
    rate: float


@partial(jax.jit, static_argnames="settings")
def step(x, settings):
    return x * settings.rate


def run(x):
    for _ in range(10):
        x = step(x, settings=Settings(0.1))
    return x
```

Or make the object once, and pass the same one each time.

## When it is fine

In code that runs once, and inside another trace.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.captures import own_nodes
from stagelight.lint.carried_values import assignments_in, loop_around
from stagelight.lint.class_order import class_order
from stagelight.lint.definitions import ClassDefinition
from stagelight.lint.events import EntryCalled
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.values import ClassValue, Instance

_PLAIN_BASES = ("object", "ABC", "Generic", "Protocol")


def _find(event: EntryCalled, machine: Machine) -> Iterator[Draft]:
    for name in sorted(event.statics & event.bound.keys()):
        node, value = event.bound[name]
        made = _made_anew(event, node)
        if made is None or not isinstance(value, Instance) or not _is_compared_by_identity(machine, value.definition):
            continue
        if _names_the_class(machine, event, made, value.definition):
            yield Draft(
                node=node,
                message=f"a new `{value.definition.name}` is passed for the static parameter `{name}` on every call: "
                "each compiles again",
                hint="give the class `__eq__` and `__hash__` (a frozen dataclass has them), or make the object once",
            )


def _made_anew(event: EntryCalled, node: ast.expr) -> ast.Call | None:
    """Return the call that makes the object each time, or None where it may be made once."""
    loop = loop_around(event)
    if isinstance(node, ast.Call):
        return node if loop is not None or _is_repeated(event, node) else None
    if isinstance(node, ast.Name) and loop is not None:
        assigned = list(assignments_in(loop, node.id))
        only = assigned[0] if len(assigned) == 1 else None
        return only if isinstance(only, ast.Call) else None
    return None


def _is_repeated(event: EntryCalled, node: ast.Call) -> bool:
    """Whether the same body has called the same function with such an object before."""
    function = event.context.function
    body = event.context.module.tree if function is None else function.node
    called, made = ast.unparse(event.node.func), ast.unparse(node)
    earlier = [
        other
        for other in own_nodes(body)
        if isinstance(other, ast.Call) and other.lineno < node.lineno and ast.unparse(other.func) == called
    ]
    return any(made == ast.unparse(a) for o in earlier for a in (*o.args, *(k.value for k in o.keywords)))


def _is_compared_by_identity(machine: Machine, definition: ClassDefinition) -> bool:
    order = class_order(machine, definition)
    if any(base.rpartition(".")[2] not in _PLAIN_BASES for base in order.outside):
        return False
    return not any(
        one.node.decorator_list or one.node.keywords or {"__eq__", "__hash__", "__new__"} & one.methods.keys()
        for one in order.definitions
    )


def _names_the_class(machine: Machine, event: EntryCalled, made: ast.Call, definition: ClassDefinition) -> bool:
    # The class itself is called, not a function that may keep what it made.
    called = machine.evaluate(made.func, event.scope, event.context.quieted())
    return isinstance(called, ClassValue) and called.definition is definition


RULE = Rule(slug="static-object-recreated", events=(EntryCalled,), find=_find, is_for_tests=False)
