"""A method is jitted, but its `self` is neither a pytree nor static.

## What it does

Finds `@jax.jit` on methods of ordinary classes without `static_argnums=0`.

## Why it costs

`self` becomes an argument of the traced function, and JAX does not know how to trace an object of an ordinary class:
the first call raises `TypeError`.

## Example

```python
class Filter:
    def __init__(self, gain):
        self.gain = gain

    @jax.jit
    def step(self, x):
        return self.gain * x
```

## Use instead

```python
@jax.jit
def filter_step(gain, x):
    return gain * x


class Filter:
    def __init__(self, gain):
        self.gain = gain

    def step(self, x):
        return filter_step(self.gain, x)
```

Or make the class a pytree: `jax.tree_util.register_dataclass`, `eqx.Module`, `flax.struct.dataclass`. With
`static_argnums=0` the object is part of the cache key, and changes of its attributes are not seen.

## When it is fine

On classes that are registered as pytrees elsewhere; register them in the module that defines them.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.definitions import ClassDefinition
from stagelight.lint.events import EntryMade
from stagelight.lint.machine import Machine
from stagelight.lint.pytree_classes import bases_of, is_pytree_class, library_kind
from stagelight.lint.rule import Draft, Rule


def _find(event: EntryMade, machine: Machine) -> Iterator[Draft]:
    function = event.function
    owner = function.owner
    if not event.is_decorator or event.transformation.is_filtered or owner is None:
        return
    if function.parameters.positional[:1] != ("self",) or "self" in event.statics:
        return
    if _is_abstract(owner):
        # Its objects belong to subclasses, which may be pytrees.
        return
    has_unread_base = any(
        isinstance(base, str) and base not in ("object", "builtins.object") for base in bases_of(machine, owner)
    )
    if has_unread_base or owner.node.decorator_list or library_kind(machine, owner) or is_pytree_class(machine, owner):
        return
    if event.transformation.name.startswith("jax.") and all(k.arg != "static_argnums" for k in event.keywords):
        yield Draft(
            node=event.node,
            message=f"`self` of {function.name} is traced, but {owner.name} is not a pytree",
            hint="jit a function of the attributes, make the class a pytree, or make self static",
        )


def _is_abstract(owner: ClassDefinition) -> bool:
    return any("abstract" in ast.unparse(d) for method in owner.methods.values() for d in method.decorators)


RULE = Rule(slug="jit-on-method", events=(EntryMade,), find=_find)
