"""A fresh function is jitted and called at once.

## What it does

Finds `jax.jit(lambda …)(x)` and its relatives inside functions: a lambda, partial, transformed or local function is
jitted, called once, and thrown away, with a name in between or without; also a local function decorated with `jit` that
is called in one place only.

## Why it costs

The cache is keyed by the function object. Every call of the surrounding function makes a new object, so every call
traces and compiles again.

## Example

```python
def weight(points, beta):
    return jax.jit(lambda p: jnp.exp(-beta * p**2))(points)
```

## Use instead

```python
@jax.jit
def weight(points, beta):
    return jnp.exp(-beta * points**2)
```

## When it is fine

In code that runs once: initialisation, builders, tests. Functions whose names say so are not reported; nor are
functions that use `jax.numpy` themselves, which may be called inside a trace, where nothing is compiled again.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.events import JitMade
from stagelight.lint.fresh_functions import computes_with_jax, fresh_operand, innermost_loop, may_run_once, uses_of
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule


def _find(event: JitMade, machine: Machine) -> Iterator[Draft]:
    function = event.context.function
    if (
        function is None
        or innermost_loop(event) is not None
        or may_run_once(event.context)
        or computes_with_jax(function)
    ):
        return
    fresh = ""
    if isinstance(event.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if _is_called_in_one_place(event.node.name, function.node):
            fresh = f"the local function {event.node.name}"
    elif event.is_called or _is_called_in_one_place(_name_given(event.node, function.node), function.node):
        fresh = fresh_operand(event)
    if fresh:
        yield Draft(
            node=event.node,
            message=f"{fresh} is jitted and called at once: every call of {function.plain_name} compiles it again",
            hint="jit a function of the module once, and pass what changes as an argument",
        )


def _is_called_in_one_place(name: str, function: ast.AST) -> bool:
    uses = list(uses_of(name, function)) if name else []
    return len(uses) == 1 and uses[0][1]


def _name_given(made: ast.AST, function: ast.AST) -> str:
    """The local name that the jitted function is kept under, if it is given that one alone; else an empty text."""
    if any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(function)):
        return ""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and node.value is made and len(node.targets) == 1:
            target = node.targets[0]
            return target.id if isinstance(target, ast.Name) else ""
    return ""


RULE = Rule(slug="jit-called-at-once", events=(JitMade,), find=_find, is_for_tests=False)
