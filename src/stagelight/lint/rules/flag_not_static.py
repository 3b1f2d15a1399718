"""A flag with a default decides control flow but is not static.

## What it does

Finds parameters annotated `bool`, `int` or `float` with a default, of functions decorated with `jit`, whose truth
Python needs, and which are not static.

## Why it costs

The function works as long as the default is used, because a default that is not passed stays a Python value. The first
caller who passes the flag gets `TracerBoolConversionError`.

## Example

```python
@jax.jit
def f(x, train: bool = True):
    return x * 2 if train else x
```

## Use instead

```python
@partial(jax.jit, static_argnames="train")
def f(x, train: bool = True):
    return x * 2 if train else x
```

## When it is fine

When no caller ever passes it; then remove the parameter.
"""

from collections.abc import Iterator

from stagelight.lint.events import BoolNeeded
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.spans import shown
from stagelight.lint.values import Maybe


def _find(event: BoolNeeded, machine: Machine) -> Iterator[Draft]:
    value = event.value
    if isinstance(value, Maybe) and value.is_flag and event.context.is_staged:
        yield Draft(
            node=event.node,
            message=f"the flag `{shown(event.node)}` is not static: it works only while its default is used",
            hint="add it to static_argnames",
            origins=value.origins,
        )


RULE = Rule(slug="flag-not-static", events=(BoolNeeded,), find=_find)
