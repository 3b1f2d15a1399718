"""The carry of a loop leaves the body with another type than it entered.

## What it does

Finds `scan`, `while_loop` and `fori_loop` whose body certainly returns a carry of another structure, or another kind of
number, than the start value.

## Why it costs

A compiled loop has one carry type. JAX raises `TypeError: … carry input and carry output must have equal types`.

## Example

```python
def count(xs):
    return jax.lax.scan(lambda n, x: (n + 0.5, x), jnp.int32(0), xs)
```

## Use instead

```python
def count(xs):
    return jax.lax.scan(lambda n, x: (n + 0.5, x), jnp.float32(0), xs)
```

Start with the dtype and structure that the body returns, or cast at the end of the body.

## When it is fine

A Python number as the start value is weakly typed and gives way to the body's dtype: `0` may become a float.
"""

from collections.abc import Iterator

from stagelight.lint.events import CarryTraced
from stagelight.lint.machine import Machine
from stagelight.lint.pytree_structure import difference
from stagelight.lint.rule import Draft, Rule


def _find(event: CarryTraced, machine: Machine) -> Iterator[Draft]:
    found = difference(event.start, event.result, promotes_weak=True)
    if found:
        yield Draft(
            node=event.node,
            message=f"the carry of {event.name} changes its type in the body: {found} (start against result)",
            hint="start with the structure and dtype that the body returns",
        )


RULE = Rule(slug="carry-type-differs", events=(CarryTraced,), find=_find)
