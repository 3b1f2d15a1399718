"""A NumPy function gets a traced value.

## What it does

Finds calls of `numpy` on traced values, stores of traced values into NumPy arrays, and NumPy arrays indexed by traced
values.

## Why it costs

NumPy asks for the numbers of its argument. While tracing there are none: JAX raises `TracerArrayConversionError`.

## Example

```python
@jax.jit
def f(x):
    return np.sin(x) + np.arange(3)[0]
```

## Use instead

```python
@jax.jit
def f(x):
    return jnp.sin(x) + np.arange(3)[0]
```

For code that has no JAX equivalent, use `jax.pure_callback`.

## When it is fine

NumPy on Python values and shapes is fine, and is the way to compute constants while tracing: `np.sqrt(x.shape[-1])`.
"""

from collections.abc import Iterator

from stagelight.lint.events import ItemStored, NumpyCalled
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.values import HostArray, has_array, origins_of
from stagelight.lint.wording import flows_from


def _find(event: NumpyCalled | ItemStored, machine: Machine) -> Iterator[Draft]:
    if isinstance(event, ItemStored):
        if isinstance(event.base, HostArray) and has_array(event.value):
            origins = origins_of(event.value)
            message = f"a traced value is stored in a NumPy array ({flows_from(origins)})"
            yield Draft(node=event.node, message=message, hint="use jnp and .at[…].set(…)", origins=origins)
        return
    origins = origins_of(*event.values)
    if event.name:
        message = (
            f"{event.name.replace('numpy.', 'np.', 1)} needs numbers, but gets traced data ({flows_from(origins)})"
        )
        hint = f"use jnp.{event.name.rpartition('.')[2]}, or jax.pure_callback"
    else:
        message = f"a NumPy array is indexed by traced data ({flows_from(origins)})"
        hint = "make the array a JAX array with jnp.asarray"
    yield Draft(node=event.node, message=message, hint=hint, origins=origins)


RULE = Rule(slug="numpy-on-traced", events=(NumpyCalled, ItemStored), find=_find)
