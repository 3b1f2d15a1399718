"""A static field of a pytree holds an array.

## What it does

Finds fields that are declared static (`eqx.field(static=True)`, `struct.field(pytree_node=False)`,
`field(metadata=dict(static=True))`) and annotated as arrays.

## Why it costs

Static fields are compared with `==` and hashed to decide whether a trace can be reused. Arrays cannot be hashed, and
their `==` gives an array: JAX raises `ValueError` or `TypeError` from inside its cache, far from the class.

## Example

```python
class Layer(eqx.Module):
    weight: jax.Array
    mask: jax.Array = eqx.field(static=True)
```

## Use instead

```python
class Layer(eqx.Module):
    weight: jax.Array
    mask: jax.Array
```

If the array must be a constant, keep a tuple in the static field, and build the array inside.

## When it is fine

With a wrapper type that defines `__hash__` and `__eq__`; the annotation then names that type.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.annotations import Annotated, annotated_kind
from stagelight.lint.events import ClassRead
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule


def _find(event: ClassRead, machine: Machine) -> Iterator[Draft]:
    for name, field in event.definition.fields.items():
        kind = annotated_kind(field.annotation)
        is_array = kind in (Annotated.ARRAY, Annotated.HOST_ARRAY)
        if is_array and isinstance(field.value, ast.Call) and _is_static(field.value):
            yield Draft(
                node=field,
                message=f"the static field `{name}` of {event.definition.name} is annotated as an array",
                hint="make it an ordinary field, or keep a tuple and build the array inside",
            )


def _is_static(call: ast.Call) -> bool:
    for keyword in call.keywords:
        literal = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if (keyword.arg == "static" and literal is True) or (keyword.arg == "pytree_node" and literal is False):
            return True
        if (
            keyword.arg == "metadata"
            and "static" in ast.unparse(keyword.value)
            and "True" in ast.unparse(keyword.value)
        ):
            return True
    return False


RULE = Rule(slug="metadata-not-comparable", events=(ClassRead,), find=_find)
