"""The branches of `cond` or `switch` return different structures or dtypes.

## What it does

Finds `jax.lax.cond` and `jax.lax.switch` whose branches certainly return different pytrees (a pair against a single
array, `None` against an array, other keys), or numbers of different kinds.

## Why it costs

The compiled conditional has one result type. JAX raises `TypeError: cond branches must have equal output types`.

## Example

```python
@jax.jit
def f(x):
    return jax.lax.cond(x > 0, lambda x: (x, 1), lambda x: (x, 1.0), x)
```

## Use instead

```python
@jax.jit
def f(x):
    return jax.lax.cond(x > 0, lambda x: (x, 1.0), lambda x: (x, 1.0), x)
```

Return the same structure from every branch, with dummies where a branch has nothing to say, and cast to one dtype.

## When it is fine

Never: what is reported here raises as soon as it is traced.
"""

from collections.abc import Iterator

from stagelight.lint.events import BranchesTraced
from stagelight.lint.machine import Machine
from stagelight.lint.pytree_structure import difference
from stagelight.lint.rule import Draft, Rule


def _find(event: BranchesTraced, machine: Machine) -> Iterator[Draft]:
    first, *others = event.results
    found = next(filter(None, (difference(first, other) for other in others)), "")
    if found:
        yield Draft(
            node=event.node,
            message=f"the branches of {event.name} return different types: {found}",
            hint="return the same structure and dtypes from every branch",
        )


RULE = Rule(slug="branch-types-differ", events=(BranchesTraced,), find=_find)
