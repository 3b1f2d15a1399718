"""A traced value is used where Python needs an index or a count.

## What it does

Finds `range(n)`, slice bounds, and indices into Python lists and tuples that are traced.

## Why it costs

Python calls `__index__`, and JAX raises `TracerIntegerConversionError`; a slice of an array with traced bounds would
have a shape that depends on data, and raises `IndexError`.

## Example

```python
@jax.jit
def f(x, n):
    for i in range(n):
        x = x + i
    return x[: n + 1]
```

## Use instead

```python
@partial(jax.jit, static_argnames="n")
def f(x, n):
    for i in range(n):
        x = x + i
    return x[: n + 1]
```

With a traced `n`: `jax.lax.fori_loop(0, n, lambda i, x: x + i, x)`, `jax.lax.dynamic_slice` or `x[jax.lax.ds(i, 3)]`,
and `jnp.array(table)[i]` or `jax.lax.switch` for a list.

## When it is fine

Indexing an array with a traced integer or integer array is fine: `x[i]`, `jnp.take(x, i)`.
"""

from collections.abc import Iterator

from stagelight.lint.events import IndexNeeded
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.values import origins_of
from stagelight.lint.wording import traced

_WORDS = {
    "range": ("range() needs a Python int", "use jax.lax.fori_loop, or make it a static argument"),
    "slice": ("a slice bound must be a Python int", "use jax.lax.dynamic_slice, or make it a static argument"),
    "sequence": ("indexing a Python sequence needs a Python int", "make it an array, or use jax.lax.switch"),
    "array": ("indexing needs a Python int", "use jnp.take"),
}


def _find(event: IndexNeeded, machine: Machine) -> Iterator[Draft]:
    origins = origins_of(event.value)
    what, hint = _WORDS[event.use]
    yield Draft(node=event.node, message=f"{what}, but {traced(event.node, origins)}", hint=hint, origins=origins)


RULE = Rule(slug="traced-index-or-range", events=(IndexNeeded,), find=_find)
