"""A static argument is named or numbered that the function does not have.

## What it does

Finds entries of `static_argnames` and `static_argnums` that match no parameter.

## Why it costs

JAX raises `ValueError` when the function is jitted, which is when the module is imported. Older versions took the
argument silently as data.

## Example

```python
@partial(jax.jit, static_argnames=("moed",))
def f(x, mode):
    return x.sum() if mode == "sum" else x
```

## Use instead

```python
@partial(jax.jit, static_argnames=("mode",))
def f(x, mode):
    return x.sum() if mode == "sum" else x
```

## When it is fine

When the function takes `**kwargs` (for names) or `*args` (for numbers), which is not reported.
"""

import difflib
from collections.abc import Iterator

from stagelight.lint.events import EntryMade
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.spans import shown


def _find(event: EntryMade, machine: Machine) -> Iterator[Draft]:
    names = event.function.parameters.names
    for node, wrong in event.misnamed:
        close = difflib.get_close_matches(str(wrong), names, 1) if isinstance(wrong, str) else []
        count = len(event.function.parameters.positional)
        near = f"did you mean {close[0]!r}?" if close else f"the parameters are {', '.join(names)}"
        yield Draft(
            node=node if not event.is_decorator else event.node,
            message=f"static argument {wrong!r} is not a parameter of {event.function.name} (`{shown(node)}`)",
            hint=near if isinstance(wrong, str) else f"it has {count} positional parameters, counted from 0",
        )


RULE = Rule(slug="unknown-static-argument", events=(EntryMade,), find=_find)
