"""A constructor jits a method, and objects are made in a loop.

## What it does

Finds classes whose `__init__` stores `jax.jit(self.method)` or a jitted lambda on `self`, and whose objects the same
module constructs inside a loop.

## Why it costs

Every object gets its own jitted function, and with it its own traces and compiles. Objects made in a loop compile again
on every round.

## Example

```python
class Agent:
    def __init__(self, rate):
        self.rate = rate
        self.step = jax.jit(self.update)

    def update(self, x):
        return x * self.rate


def sweep(x):
    for rate in (0.1, 0.2, 0.3):
        agent = Agent(rate)
        x = agent.step(x)
    return x
```

## Use instead

```python
@jax.jit
def update(rate, x):
    return x * rate


class Agent:
    def __init__(self, rate):
        self.rate = rate

    def step(self, x):
        return update(self.rate, x)


def sweep(x):
    for rate in (0.1, 0.2, 0.3):
        agent = Agent(rate)
        x = agent.step(x)
    return x
```

## When it is fine

When the program makes one object, which is not reported.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.construction_sites import constructions_in_loops
from stagelight.lint.events import JitMade
from stagelight.lint.fresh_functions import fresh_operand, is_bound_method
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule


def _find(event: JitMade, machine: Machine) -> Iterator[Draft]:
    function = event.context.function
    if function is None or function.owner is None or function.plain_name not in ("__init__", "__post_init__"):
        return
    if not (is_bound_method(event) or fresh_operand(event)) or event.is_called:
        return
    if not _is_stored_on_self(function.node, event.node):
        return
    owner = function.owner.name
    site = next((call for name, call in constructions_in_loops(machine.root.tree) if name == owner), None)
    if site is not None:
        yield Draft(
            node=event.node,
            message=f"every {owner} gets its own jitted function, and line {site.lineno} makes one on every round",
            hint="jit a function of the module and pass it what the object holds",
        )


def _is_stored_on_self(function: ast.AST, jitted: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Assign)
        and node.value is jitted
        and any(isinstance(t, ast.Attribute) for t in node.targets)
        for node in ast.walk(function)
    )


RULE = Rule(slug="jit-in-constructor", events=(JitMade,), find=_find, is_for_tests=False)
