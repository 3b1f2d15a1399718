"""An operation whose result's shape depends on data.

## What it does

Finds `jnp.nonzero`, `jnp.unique`, one-argument `jnp.where` and their relatives without `size=`, and boolean masks used
as an index, also in `x.at[mask]`.

## Why it costs

How many elements there are is known only when the program runs, but every shape must be known when it is traced. JAX
raises `ConcretizationTypeError` or `NonConcreteBooleanIndexError`.

## Example

```python
@jax.jit
def f(x):
    return x[x > 0].sum() + x.at[x < 0].set(0.0).sum()
```

## Use instead

```python
@jax.jit
def f(x):
    return jnp.where(x > 0, x, 0.0).sum() + jnp.where(x < 0, 0.0, x).sum()
```

Where the elements themselves are needed, give an upper bound: `jnp.nonzero(x, size=10, fill_value=-1)`.

## When it is fine

With a mask that NumPy computes from shapes, and with `size=`.
"""

from collections.abc import Iterator

from stagelight.lint.events import JaxCalled, Subscripted
from stagelight.lint.jax_names import DATA_DEPENDENT_FUNCTIONS
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.values import Array, DeviceArray, Tree, origins_of
from stagelight.lint.wording import flows_from


def _find(event: JaxCalled | Subscripted, machine: Machine) -> Iterator[Draft]:
    if isinstance(event, Subscripted):
        yield from _in_index(event)
        return
    library, _, name = event.name.rpartition(".")
    if library not in ("jax.numpy", "Array") or "size" in event.keywords or event.has_star or not event.arguments:
        return
    is_one_argument_where = name == "where" and len(event.arguments) == 1 and not event.keywords
    depends = name in DATA_DEPENDENT_FUNCTIONS and (library == "jax.numpy" or name in ("nonzero", "compress"))
    if (is_one_argument_where or depends) and isinstance(event.arguments[0], (Array, Tree, DeviceArray)):
        origins = origins_of(*event.arguments)
        shown = f"jnp.{name}" if library == "jax.numpy" else f".{name}()"
        yield Draft(
            node=event.node,
            message=f"the shape of {shown} depends on data ({flows_from(origins)})",
            hint="pass size=, or use three-argument jnp.where",
            origins=origins,
        )


def _in_index(event: Subscripted) -> Iterator[Draft]:
    if not isinstance(event.base, (Array, Tree, DeviceArray)):
        return
    mask = next((index for index in event.indices if isinstance(index, Array) and index.is_mask), None)
    if mask is not None:
        what = "an update through a mask needs the mask" if event.is_update else "a mask as index gives a shape"
        yield Draft(
            node=event.node,
            message=f"{what} that depends on data ({flows_from(mask.origins)})",
            hint="use jnp.where(mask, new, old)" if event.is_update else "use jnp.where, or size= with jnp.nonzero",
            origins=mask.origins,
        )


RULE = Rule(slug="data-dependent-shape", events=(JaxCalled, Subscripted), find=_find)
