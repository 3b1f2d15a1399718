"""A parameter is compared with text but is not static.

## What it does

Finds parameters of jitted functions that are compared with string literals, and are not among the static arguments.

## Why it costs

A string cannot be traced: passing one raises `TypeError`. Passing anything else makes the comparison pointless.

## Example

```python
@jax.jit
def f(x, mode):
    if mode == "sum":
        return x.sum()
    return x.mean()
```

## Use instead

```python
@partial(jax.jit, static_argnames="mode")
def f(x, mode):
    if mode == "sum":
        return x.sum()
    return x.mean()
```

## When it is fine

When the parameter is bound with `functools.partial` before `jit`, which is not reported.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.events import Compared
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.spans import shown
from stagelight.lint.values import Sequence, Tree, Value, is_parameter, literal_of


def _find(event: Compared, machine: Machine) -> Iterator[Draft]:
    if not event.context.is_staged:
        return
    nodes = (event.node.left, *event.node.comparators)
    for position, op in enumerate(event.node.ops):
        left, right = event.values[position : position + 2]
        for node, value, other in ((nodes[position], left, right), (nodes[position + 1], right, left)):
            if is_parameter(value) and isinstance(value, Tree) and _is_text(op, other):
                yield Draft(
                    node=event.node,
                    message=f"the parameter `{shown(node)}` is compared with text but is not static",
                    hint=f"add static_argnames={shown(node)!r} to the jit",
                    origins=value.origins,
                )


def _is_text(op: ast.cmpop, other: Value) -> bool:
    if isinstance(op, (ast.Eq, ast.NotEq)):
        return isinstance(literal_of(other), str)
    if not isinstance(op, (ast.In, ast.NotIn)) or not isinstance(other, Sequence):
        return False
    return bool(other.items) and all(isinstance(literal_of(item), str) for item in other.items)


RULE = Rule(slug="string-not-static", events=(Compared,), find=_find)
