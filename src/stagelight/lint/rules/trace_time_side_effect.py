"""An effect on the host happens while tracing, and never again.

## What it does

Finds, inside traced functions: `print` and logging of traced values; clocks; `random` and `numpy.random`; and
assignments to global and nonlocal names.

## Why it costs

Python runs once, while tracing. The print shows a tracer and stays silent afterwards; the random number or the time is
frozen into the compiled program and is the same on every call; the counter counts traces, not calls.

## Example

```python
@jax.jit
def noisy(x):
    print("x is", x)
    return x + np.random.normal()
```

## Use instead

```python
@jax.jit
def noisy(x, key):
    jax.debug.print("x is {x}", x=x)
    return x + jax.random.normal(key)
```

Read clocks outside. Return counters, or use `jax.debug.callback`.

## When it is fine

Printing shapes while tracing is a good way to see when a trace happens, and is not reported.
"""

from collections.abc import Iterator

from stagelight.lint.events import HostCalled, NameRebound
from stagelight.lint.jax_names import CLOCKS
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.values import has_array, is_parameter, may_hold_data, origins_of
from stagelight.lint.wording import flows_from

_TRACES_ON_PURPOSE = ("eval_shape", "make_jaxpr", "filter_eval_shape", "filter_make_jaxpr")
_SEEDED = ("default_rng", "RandomState", "seed", "Generator", "Random", "SeedSequence", "get_state", "PCG64")


def _find(event: HostCalled | NameRebound, machine: Machine) -> Iterator[Draft]:
    if event.context.transformation.rpartition(".")[2] in _TRACES_ON_PURPOSE:
        return
    if isinstance(event, NameRebound):
        if not may_hold_data(event.value) and event.context.function is not None:
            yield Draft(
                node=event.node,
                message=f"the {event.kind} name `{event.name}` is assigned while tracing only, not on each call",
                hint="return the value, or use jax.debug.callback",
            )
    elif event.name.startswith(("numpy.random.", "random.")):
        if event.name.rpartition(".")[2] not in _SEEDED:
            yield _draft(
                event, "draws once, while tracing: every call gets the same number", "use jax.random with a key"
            )
    elif event.name in CLOCKS:
        yield _draft(event, "reads the clock once, while tracing", "read the clock outside, around block_until_ready")
    elif any(has_array(value) or is_parameter(value) for value in event.values):
        origins = flows_from(origins_of(*event.values))
        yield _draft(event, f"shows a tracer ({origins}), once, while tracing", "use jax.debug.print")


def _draft(event: HostCalled, what: str, hint: str) -> Draft:
    shown = event.name.replace("numpy.", "np.", 1)
    return Draft(node=event.node, message=f"{shown}() {what}", hint=hint, origins=origins_of(*event.values))


RULE = Rule(slug="trace-time-side-effect", events=(HostCalled, NameRebound), find=_find)
