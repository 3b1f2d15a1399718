"""A new function is jitted on every round of a loop.

## What it does

Finds `jax.jit` of a lambda, a partial, a transformed function or a function defined in the loop, when the result is
called in the same round; and functions decorated with `@jax.jit` inside a loop.

## Why it costs

The cache is keyed by the function object. A new object on every round means a new trace and a new compile on every
round, and memory that grows until the old ones are evicted.

## Example

```python
def main(xs, rate):
    total = 0.0
    for x in xs:
        step = jax.jit(lambda y: y * rate)
        total += step(x)
    return total
```

## Use instead

```python
@jax.jit
def step(y, rate):
    return y * rate


def main(xs, rate):
    total = 0.0
    for x in xs:
        total += step(x, rate)
    return total
```

## When it is fine

`jax.jit(f)` of a stable function in a loop finds its old trace, and only costs a slow dispatch. Building a list of
jitted functions once is fine too. Neither is reported.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.events import JitMade
from stagelight.lint.fresh_functions import fresh_operand, innermost_loop, is_called_in, names_made_in
from stagelight.lint.hoisting import hoisted_jit
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule


def _find(event: JitMade, machine: Machine) -> Iterator[Draft]:
    loop = innermost_loop(event)
    if loop is None:
        return
    if isinstance(event.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        fresh = f"the function {event.node.name}, defined in the loop,"
    else:
        fresh = _fresh_each_round(event, names_made_in(loop))
    if fresh and (event.is_called or is_called_in(loop, event.node)):
        yield Draft(
            node=event.node,
            message=f"{fresh} is jitted on every round: each round traces and compiles again",
            hint="jit it once before the loop, and pass what changes as an argument",
            edits=hoisted_jit(event, loop, machine),
        )


def _fresh_each_round(event: JitMade, made_in_loop: set[str]) -> str:
    fresh = fresh_operand(event)
    if isinstance(event.operand, ast.Name) and event.operand.id not in made_in_loop:
        # Made before the loop: one object, one trace.
        return ""
    return fresh


RULE = Rule(slug="jit-in-loop", events=(JitMade,), find=_find, is_for_tests=False)
