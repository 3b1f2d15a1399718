"""A traced value is used as a shape, a size or an axis.

## What it does

Finds arguments that JAX needs while tracing: shapes of `jnp.zeros`, `jnp.full` or `jax.random.normal`, the ends of
`jnp.arange`, sizes of slices, numbers of classes, axes of reductions.

## Why it costs

The shape of every array in a compiled program is fixed when it is traced. JAX raises `ConcretizationTypeError` or
`TypeError: Shapes must be 1D sequences of concrete values`.

## Example

```python
@jax.jit
def f(x, n):
    return jnp.zeros((n, 3)) + x
```

## Use instead

```python
@partial(jax.jit, static_argnames="n")
def f(x, n):
    return jnp.zeros((n, 3)) + x
```

Or take the size from another array's shape. If it varies much, each value compiles again: work with a fixed upper size
and a mask.

## When it is fine

When the value comes from `x.shape`, `len(x)` or a static argument.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.arguments import keyword_node
from stagelight.lint.events import JaxCalled
from stagelight.lint.jax_names import METHOD_SHAPE_PARAMETERS, SHAPE_PARAMETERS
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.values import Sequence, Value, has_array, is_parameter, origins_of
from stagelight.lint.wording import traced


def _find(event: JaxCalled, machine: Machine) -> Iterator[Draft]:
    is_method = event.name.startswith("Array.")
    name = event.name.removeprefix("Array.")
    places = METHOD_SHAPE_PARAMETERS.get(name) if is_method else SHAPE_PARAMETERS.get(name)
    if places is None or event.has_star:
        return
    values = event.arguments[1:] if is_method else event.arguments
    for position in places[0]:
        if position < len(values) and _is_traced(values[position], name):
            yield _draft(name, event.node.args[position], values[position])
    for keyword in places[1]:
        value = event.keywords.get(keyword)
        node = keyword_node(event.node, keyword)
        if value is not None and node is not None and _is_traced(value, name):
            yield _draft(name, node, value)


def _is_traced(value: Value, name: str) -> bool:
    # `jnp.reshape(x, like)` takes arrays nowhere; a bare parameter may still be a tuple of ints.
    if has_array(value) or (isinstance(value, Sequence) and any(map(is_parameter, value.items))):
        return True
    return is_parameter(value) and not name.endswith(("reshape", ".tile"))


def _draft(name: str, node: ast.expr, value: Value) -> Draft:
    origins = origins_of(value)
    shown = name.replace("jax.numpy.", "jnp.")
    return Draft(
        node=node,
        message=f"{shown} needs this while tracing, but {traced(node, origins)}",
        hint="make it a static argument, or take it from a shape",
        origins=origins,
    )


RULE = Rule(slug="traced-shape-argument", events=(JaxCalled,), find=_find)
