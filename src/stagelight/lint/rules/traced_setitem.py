"""An item of a traced array is assigned in place.

## What it does

Finds `x[i] = value` and `x[i] += value` on traced arrays.

## Why it costs

JAX arrays are immutable, traced or not: the line raises `TypeError`.

## Example

```python
@jax.jit
def f(x):
    y = x * 2
    y[0] = 1.0
    return y
```

## Use instead

```python
@jax.jit
def f(x):
    y = x * 2
    return y.at[0].set(1.0)
```

Inside a `jit` the copy that this seems to make is compiled away.

## When it is fine

On NumPy arrays of constants, on lists and on dictionaries.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.events import ItemStored
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.spans import shown
from stagelight.lint.values import Array


def _find(event: ItemStored, machine: Machine) -> Iterator[Draft]:
    key = event.node.slice
    # An array has no keys: what is taken for one is then something else.
    has_key = isinstance(key, ast.Constant) and isinstance(key.value, str)
    if isinstance(event.base, Array) and event.context.is_staged and not has_key:
        name = shown(event.node.value)
        yield Draft(
            node=event.node,
            message=f"`{name}` is a JAX array and cannot be assigned in place",
            hint=f"write {name} = {name}.at[…].set(…)",
            origins=event.base.origins,
        )


RULE = Rule(slug="traced-setitem", events=(ItemStored,), find=_find)
