"""A Python loop is unrolled into the compiled program.

## What it does

Finds Python loops inside traced functions that run over the rows of a traced array, or at least 16 times over a range,
list or array whose length the source shows, and that compute traced values.

## Why it costs

Tracing runs the loop: the program gets one copy of the body per round. Time to trace and compile grows with the number
of rounds, and faster than it.

## Example

```python
@jax.jit
def f(x):
    for i in range(100):
        x = jnp.sin(x)
    return x
```

## Use instead

```python
@jax.jit
def f(x):
    return jax.lax.fori_loop(0, 100, lambda i, x: jnp.sin(x), x)
```

`jax.lax.scan` to go over rows, `jax.vmap` when the rounds do not depend on each other.

## When it is fine

A few rounds over layers of different shapes: that is what unrolling is for.
"""

from collections.abc import Iterator

from stagelight.lint.events import LoopUnrolled
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.values import Array, origins_of
from stagelight.lint.wording import flows_from

MOST_ROUNDS = 15


def _find(event: LoopUnrolled, machine: Machine) -> Iterator[Draft]:
    if isinstance(event.iterated, Array):
        origins = origins_of(event.iterated)
        message = f"the loop is unrolled: one copy of its body per row of a traced array ({flows_from(origins)})"
        yield Draft(node=event.node.iter, message=message, hint="use jax.lax.scan or jax.vmap", origins=origins)
    elif event.count is not None and event.count > MOST_ROUNDS and event.makes_data:
        message = f"the loop is unrolled into {event.count} copies of its body"
        yield Draft(node=event.node.iter, message=message, hint="use jax.lax.fori_loop or jax.lax.scan")


RULE = Rule(slug="unrolled-loop", events=(LoopUnrolled,), find=_find, is_for_tests=False)
