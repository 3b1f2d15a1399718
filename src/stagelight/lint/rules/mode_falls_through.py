"""A chain of tests on a mode ends without an answer.

## What it does

Finds functions that are traced and end in an `if`/`elif` chain comparing one name with text, where every branch returns
a value and no `else` follows.

## Why it costs

For any other text the function returns `None`. While tracing that is not an error: the mistake shows much later, as a
missing output or another tree structure.

## Example

```python
@partial(jax.jit, static_argnames="mode")
def reduced(x, mode):
    if mode == "sum":
        return x.sum()
    elif mode == "mean":
        return x.mean()
```

## Use instead

```python
@partial(jax.jit, static_argnames="mode")
def reduced(x, mode):
    if mode == "sum":
        return x.sum()
    elif mode == "mean":
        return x.mean()
    raise ValueError(f"mode must be 'sum' or 'mean', not {mode!r}")
```

## When it is fine

When `None` is meant: then say `return None`.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.events import FunctionTraced
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule

_FEWEST_TESTS = 2


def _find(event: FunctionTraced, machine: Machine) -> Iterator[Draft]:
    chain = _trailing_tests(event.node.body)
    names = {_compared_name(test) for test in chain}
    if len(chain) < _FEWEST_TESTS or len(names) != 1 or "" in names:
        return
    if all(_returns_value(test) for test in chain) and not chain[-1].orelse:
        name = names.pop()
        yield Draft(
            node=chain[-1],
            message=f"any other `{name}` falls through, and {event.function.plain_name} returns None",
            hint="end with raise ValueError(…)",
        )


def _trailing_tests(body: list[ast.stmt]) -> list[ast.If]:
    """Return the tests that end a body, from the first to the last, `elif` branches included."""
    tail: list[ast.If] = []
    for node in reversed(body):
        if not isinstance(node, ast.If):
            break
        tail.append(node)
    chain: list[ast.If] = []
    for test in reversed(tail):
        chain.append(test)
        while len(test.orelse) == 1 and isinstance(test.orelse[0], ast.If):
            test = test.orelse[0]
            chain.append(test)
        if test.orelse:
            # An `else` answers for the rest.
            return []
    return chain


def _compared_name(node: ast.If) -> str:
    match node.test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq()], comparators=[ast.Constant(value=str())]):
            return name
        case _:
            return ""


def _returns_value(node: ast.If) -> bool:
    last = node.body[-1]
    return isinstance(last, ast.Raise) or (isinstance(last, ast.Return) and last.value is not None)


RULE = Rule(slug="mode-falls-through", events=(FunctionTraced,), find=_find)
