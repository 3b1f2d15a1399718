"""A new function is passed for a static argument on every call.

## What it does

Finds lambdas, partials and local functions that are passed for a static parameter of a jitted function.

## Why it costs

Static values are compared with `==`, and two lambdas are never equal. Every call is a new cache entry: it traces and
compiles again.

## Example

```python
@partial(jax.jit, static_argnums=0)
def integrate(rhs, y):
    return y + 0.1 * rhs(y)


def advance(y):
    return integrate(lambda y: -2.0 * y, y)
```

## Use instead

```python
def decay(y):
    return -2.0 * y


@partial(jax.jit, static_argnums=0)
def integrate(rhs, y):
    return y + 0.1 * rhs(y)


def advance(y):
    return integrate(decay, y)
```

If the function must capture values, use `jax.tree_util.Partial` as an ordinary argument.

## When it is fine

In code that runs once, and inside another trace.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.events import EntryCalled
from stagelight.lint.fresh_functions import computes_with_jax, may_run_once
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.values import Closure, Partial, Value


def _find(event: EntryCalled, machine: Machine) -> Iterator[Draft]:
    if not event.context.loop_depth and (may_run_once(event.context) or _is_numeric(event)):
        return
    for name in sorted(event.statics & event.bound.keys()):
        node, value = event.bound[name]
        fresh = _fresh(event, node, value)
        if fresh:
            yield Draft(
                node=node,
                message=f"{fresh} is passed for the static parameter `{name}`: every call compiles again",
                hint="define the function once, at module level",
            )


def _is_numeric(event: EntryCalled) -> bool:
    function = event.context.function
    return function is not None and computes_with_jax(function)


def _fresh(event: EntryCalled, node: ast.expr, value: Value) -> str:
    if isinstance(node, ast.Lambda):
        return "a new lambda"
    if isinstance(node, ast.Call) and isinstance(value, Partial):
        return "a new partial"
    is_here = isinstance(node, ast.Name) and isinstance(value, Closure) and value.is_local
    return (
        f"the local function {node.id}"
        if isinstance(node, ast.Name) and is_here and event.scope.is_local(node.id)
        else ""
    )


RULE = Rule(slug="fresh-callable-as-static", events=(EntryCalled,), find=_find, is_for_tests=False)
