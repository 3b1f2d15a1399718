"""A bound method is jitted and called at once.

## What it does

Finds `jax.jit(obj.method)(x)` inside functions and loops.

## Why it costs

Each access of `obj.method` makes a new bound-method object. Equal ones share a trace only as long as the very object
that was first used is alive, and here it dies at the end of the line: the next call traces and compiles again.

## Example

```python
class Model:
    def apply(self, x):
        return x * 2

    def __call__(self, x):
        return jax.jit(self.apply)(x)
```

## Use instead

```python
class Model:
    def __init__(self):
        self.applied = jax.jit(self.apply)

    def apply(self, x):
        return x * 2

    def __call__(self, x):
        return self.applied(x)
```

Better still, jit a function whose argument holds what the method reads from `self`: a saved bound method does not see
later changes of attributes.

## When it is fine

Where the line runs once.
"""

from collections.abc import Iterator

from stagelight.lint.events import JitMade
from stagelight.lint.fresh_functions import innermost_loop, is_bound_method, is_called_in, may_run_once
from stagelight.lint.machine import Machine
from stagelight.lint.pytree_classes import is_pytree_class
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.spans import shown
from stagelight.lint.values import Instance, Method


def _find(event: JitMade, machine: Machine) -> Iterator[Draft]:
    function = event.context.function
    if function is None or not is_bound_method(event) or not isinstance(event.value, Method) or event.operand is None:
        return
    owner = event.value.owner
    if not isinstance(owner, Instance) or is_pytree_class(machine, owner.definition):
        return
    loop = innermost_loop(event)
    again = is_called_in(loop, event.node) if loop is not None else not may_run_once(event.context)
    if again and (event.is_called or loop is not None):
        yield Draft(
            node=event.node,
            message=f"the bound method `{shown(event.operand)}` is new each time, and traced again each time",
            hint="keep the jitted method on the object, or jit a function of its attributes",
        )


RULE = Rule(slug="jit-of-bound-method", events=(JitMade,), find=_find, is_for_tests=False)
