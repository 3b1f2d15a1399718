"""`and`, `or`, `not`, or a builtin that orders values asks a traced value for its truth.

## What it does

Finds `and`, `or` and `not` on traced values outside of control flow, and the builtins `any`, `all`, `min`, `max` and
`sorted`, which compare their arguments with Python's own truth.

## Why it costs

These operators cannot be overloaded: Python calls `bool()` on their operands, and JAX raises
`TracerBoolConversionError`. `x or default` is the same, although nothing on the line looks boolean.

## Example

```python
@jax.jit
def f(x, low, high):
    inside = (x > low) and (x < high)
    return jnp.where(inside, x, max(low, high))
```

## Use instead

```python
@jax.jit
def f(x, low, high):
    inside = (x > low) & (x < high)
    return jnp.where(inside, x, jnp.maximum(low, high))
```

For `value or default` with an optional argument, write `default if value is None else value`.

## When it is fine

On Python values: lengths, shapes, settings. `any` and `all` over a list of such values are fine too.
"""

from collections.abc import Iterator

from stagelight.lint.assignment import element_of
from stagelight.lint.events import BoolNeeded, ExtremeNeeded
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.values import Array, Generator, Sequence, Value, origins_of
from stagelight.lint.wording import flows_from, traced

_OPERATORS = {"and": "jnp.logical_and or `&`", "or": "jnp.logical_or or `|`", "not": "jnp.logical_not or `~`"}
_BUILTINS = {
    "min": "jnp.minimum or jnp.min",
    "max": "jnp.maximum or jnp.max",
    "sorted": "jnp.sort",
    "any": "jnp.any",
    "all": "jnp.all",
}


def _find(event: BoolNeeded | ExtremeNeeded, machine: Machine) -> Iterator[Draft]:
    if isinstance(event, ExtremeNeeded):
        yield from _in_builtin(event)
    elif event.demand in _OPERATORS and isinstance(event.value, Array):
        yield Draft(
            node=event.node,
            message=f"`{event.demand}` needs a Python bool, but {traced(event.node, event.value.origins)}",
            hint=f"use {_OPERATORS[event.demand]}; for a default, ask `is None`",
            origins=event.value.origins,
        )


def _in_builtin(event: ExtremeNeeded) -> Iterator[Draft]:
    if _compares_tracers(event.builtin, event.values):
        origins = origins_of(*event.values)
        yield Draft(
            node=event.node,
            message=f"{event.builtin}() asks traced values for their truth ({flows_from(origins)})",
            hint=f"use {_BUILTINS[event.builtin]}",
            origins=origins,
        )


def _compares_tracers(builtin: str, values: tuple[Value, ...]) -> bool:
    if len(values) > 1:
        return builtin in ("min", "max") and any(isinstance(value, Array) for value in values)
    if not values:
        return False
    only = values[0]
    if isinstance(only, (Array, Generator)):
        return isinstance(element_of(only), Array)
    several = isinstance(only, Sequence) and (len(only.items) > 1 or builtin in ("any", "all"))
    return isinstance(only, Sequence) and several and any(isinstance(item, Array) for item in only.items)


RULE = Rule(slug="traced-bool-op", events=(BoolNeeded, ExtremeNeeded), find=_find)
