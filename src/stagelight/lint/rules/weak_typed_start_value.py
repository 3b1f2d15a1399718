"""A carried value starts as a Python number and comes back as an array.

## What it does

Finds host loops that feed the result of a jitted function back into it, where the start value is a Python number and
the function certainly returns a strongly typed array in its place.

## Why it costs

A Python number is traced with a *weak* type. On the second round the argument has a strong type, which is another
signature: the function is traced and compiled a second time, for the same shapes.

## Example

```python
@jax.jit
def add(total, batch):
    return total + batch.sum()


def main():
    total = 0.0
    for _ in range(4):
        total = add(total, np.ones(8, np.float32))
    return total
```

## Use instead

```python
@jax.jit
def add(total, batch):
    return total + batch.sum()


def main():
    total = jnp.float32(0.0)
    for _ in range(4):
        total = add(total, np.ones(8, np.float32))
    return total
```

## When it is fine

When the function's result stays weak, as in `count + 1`, which is not reported.
"""

from collections.abc import Iterator

from stagelight.lint.arguments import Arguments
from stagelight.lint.arithmetic import strength_of
from stagelight.lint.carried_values import loop_around, targets_of_call
from stagelight.lint.control_flow_calls import as_data
from stagelight.lint.entries import context_of_trace
from stagelight.lint.events import EntryCalled
from stagelight.lint.function_calls import call_function
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.spans import shown
from stagelight.lint.tracing_context import Stage
from stagelight.lint.values import Array, Known, Sequence, Value


def _find(event: EntryCalled, machine: Machine) -> Iterator[Draft]:
    loop = loop_around(event)
    if loop is None:
        return
    targets = targets_of_call(loop, event.node)
    for name, (node, value) in event.bound.items():
        carried = shown(node)
        is_weak = isinstance(value, Known) and strength_of(value) == "weak"
        if name in event.statics or carried not in targets or not is_weak:
            continue
        if _comes_back_strong(event, machine, targets[carried]):
            yield Draft(
                node=event.node,
                message=f"`{carried}` starts as a weakly typed Python number and comes back strongly typed: two traces",
                hint=f"start with an explicit dtype: jnp.float32({carried})",
            )


def _comes_back_strong(event: EntryCalled, machine: Machine, position: int | None) -> bool:
    function = event.function
    given: dict[str, Value] = {
        name: value if name in event.statics else as_data(value) for name, (_, value) in event.bound.items()
    }
    context = context_of_trace(function, Stage.STAGED, "jit", is_quiet=True)
    if function.takes_self:
        return False
    result = call_function(machine, function, Arguments((), given), context, scope=function.scope)
    if position is not None:
        is_long_enough = isinstance(result, Sequence) and position < len(result.items)
        result = result.items[position] if isinstance(result, Sequence) and is_long_enough else Array()
    return isinstance(result, Array) and result.strength == "strong"


RULE = Rule(slug="weak-typed-start-value", events=(EntryCalled,), find=_find, is_for_tests=False)
