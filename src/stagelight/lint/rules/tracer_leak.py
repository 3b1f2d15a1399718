"""A traced value is stored where it outlives the trace.

## What it does

Finds traced values that are assigned to global or nonlocal names, to attributes of `self`, or put into module-level
containers, from inside a traced function.

## Why it costs

What is stored is a tracer, not a number. It is stored once, while tracing, and never again; whoever reads it later gets
`UnexpectedTracerError`, often far from here.

## Example

```python
history = []


@jax.jit
def step(x):
    y = x * 2
    history.append(y)
    return y
```

## Use instead

```python
history = []


@jax.jit
def step(x):
    return x * 2


def run(x):
    history.append(step(x))
```

Return the value and store it outside. To look at it, use `jax.debug.print` or `jax.debug.callback`.

## When it is fine

In lists and dictionaries that live inside the traced function, and in objects that the library itself traces, such as
Flax NNX modules.
"""

from collections.abc import Iterator

from stagelight.lint.events import AttributeStored, ContainerGrown, ItemStored, NameRebound
from stagelight.lint.machine import Machine
from stagelight.lint.pytree_classes import is_pytree_class, library_kind
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.spans import shown
from stagelight.lint.values import Array, Instance, Origins, Tree, Value, has_array, is_parameter, origins_of
from stagelight.lint.wording import flows_from

type _Stored = NameRebound | ContainerGrown | ItemStored | AttributeStored


def _find(event: _Stored, machine: Machine) -> Iterator[Draft]:
    if not event.context.is_staged:
        return
    match event:
        case NameRebound() if _is_tracer(event.value):
            yield _draft(event, f"the {event.kind} name `{event.name}`", origins_of(event.value))
        case ContainerGrown() if any(map(_is_tracer, event.values)):
            yield _draft(event, f"the module-level `{event.container}`", origins_of(*event.values))
        case ItemStored() if event.is_global and _is_tracer(event.value):
            yield _draft(event, f"the module-level `{shown(event.node.value)}`", origins_of(event.value))
        case AttributeStored() if _is_tracer(event.value) and _outlives(event.base, machine):
            yield _draft(event, f"`{shown(event.node)}`", origins_of(event.value))
        case _:
            pass


def _is_tracer(value: Value) -> bool:
    is_whole = isinstance(value, Tree) and (is_parameter(value) or value.is_present)
    return is_whole or isinstance(value, Array) or has_array(value)


def _outlives(base: Value, machine: Machine) -> bool:
    if not isinstance(base, Instance) or base.is_traced or base.origins != frozenset(["self"]):
        return False
    definition = base.definition
    return library_kind(machine, definition) is None and not is_pytree_class(machine, definition)


def _draft(event: _Stored, where: str, origins: Origins) -> Draft:
    return Draft(
        node=event.node,
        message=f"a traced value ({flows_from(origins)}) is stored in {where}, which outlives the trace",
        hint="return the value and store it outside",
        origins=origins,
    )


RULE = Rule(slug="tracer-leak", events=(NameRebound, ContainerGrown, ItemStored, AttributeStored), find=_find)
