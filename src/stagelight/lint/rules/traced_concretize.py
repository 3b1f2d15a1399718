"""A traced value is turned into a Python number or text.

## What it does

Finds `int()`, `float()`, `bool()`, `complex()`, `.item()`, `.tolist()`, functions of `math`, and format specifications
such as `f"{x:.2f}"` on values that exist only when the compiled program runs.

## Why it costs

There is no number yet: JAX raises `ConcretizationTypeError`, or Python refuses the format.

## Example

```python
@jax.jit
def loss(x):
    total = jnp.sum(x**2)
    return math.sqrt(float(total))
```

## Use instead

```python
@jax.jit
def loss(x):
    total = jnp.sum(x**2)
    return jnp.sqrt(total.astype(float))
```

Convert on the host, after the call. To show a value, use `jax.debug.print("{x:.2f}", x=x)`. If the number is needed for
a shape, make it a static argument.

## When it is fine

On shapes and lengths, and on the results of a jitted function outside of any trace.
"""

from collections.abc import Iterator

from stagelight.lint.events import NumberNeeded
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.values import origins_of
from stagelight.lint.wording import flows_from


def _find(event: NumberNeeded, machine: Machine) -> Iterator[Draft]:
    origins = origins_of(event.value)
    is_format = event.by == "a format"
    yield Draft(
        node=event.node,
        message=f"{event.by} needs a number while tracing, but gets traced data ({flows_from(origins)})",
        hint="use jax.debug.print"
        if is_format
        else "use jnp and .astype, convert outside, or make it a static argument",
        origins=origins,
    )


RULE = Rule(slug="traced-concretize", events=(NumberNeeded,), find=_find)
