"""The last batch of a loop is smaller than the others.

## What it does

Finds loops `for i in range(0, n, size)` that pass `data[i : i + size]` to a jitted function, where the source shows
that the size does not divide the data.

## Why it costs

The last slice has another shape, so the function is traced and compiled a second time, at the end of the first epoch.

## Example

```python
@jax.jit
def step(w, x):
    return w - x.mean()


def epoch(w):
    points = np.zeros((1000, 2))
    for i in range(0, 1000, 256):
        w = step(w, points[i : i + 256])
    return w
```

## Use instead

```python
@jax.jit
def step(w, x):
    return w - x.mean()


def epoch(w):
    points = np.zeros((1000, 2))
    for i in range(0, 1000 - 256 + 1, 256):
        w = step(w, points[i : i + 256])
    return w
```

Or pad the last batch and give the function a mask.

## When it is fine

In a program that runs one epoch, and where the second compile is cheap.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.carried_values import HostLoop, assignments_in, loop_around
from stagelight.lint.events import EntryCalled
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.spans import shown
from stagelight.lint.values import DeviceArray, HostArray, literal_of


def _find(event: EntryCalled, machine: Machine) -> Iterator[Draft]:
    loop = loop_around(event)
    if not isinstance(loop, (ast.For, ast.AsyncFor)) or not isinstance(loop.target, ast.Name):
        return
    starts = _range(event, machine, loop.iter)
    if not starts:
        return
    for name, (node, _) in event.bound.items():
        sliced = _sliced(node, loop)
        if name in event.statics or sliced is None:
            continue
        lengths = _lengths(event, machine, sliced, loop.target.id, starts)
        if len(lengths) > 1:
            yield Draft(
                node=node,
                message=f"the last batch `{shown(sliced)}` has {lengths[-1]} rows, the others {lengths[0]}: two traces",
                hint="drop the last batch, or pad it",
            )


def _range(event: EntryCalled, machine: Machine, node: ast.expr) -> range | None:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"):
        return None
    literals = [literal_of(machine.evaluate(a, event.scope, event.context.quieted())) for a in node.args]
    numbers = [n for n in literals if isinstance(n, int)]
    return range(*numbers) if len(numbers) == len(literals) == 3 and numbers[2] > 0 else None


def _sliced(node: ast.expr, loop: HostLoop) -> ast.Subscript | None:
    if isinstance(node, ast.Name):
        assigned = list(assignments_in(loop, node.id))
        node = assigned[0] if len(assigned) == 1 and isinstance(assigned[0], ast.expr) else node
    return node if isinstance(node, ast.Subscript) else None


def _lengths(event: EntryCalled, machine: Machine, node: ast.Subscript, variable: str, starts: range) -> list[int]:
    """Return the distinct lengths of the slices, the last one last; empty where they cannot be told."""
    part = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    quiet = event.context.quieted()
    base = machine.evaluate(node.value, event.scope, quiet)
    total = base.length if isinstance(base, (HostArray, DeviceArray)) else None
    match part:
        case ast.Slice(
            lower=ast.Name(id=lower), upper=ast.BinOp(left=ast.Name(id=left), op=ast.Add(), right=size), step=None
        ) if lower == left == variable:
            width = literal_of(machine.evaluate(size, event.scope, quiet))
        case _:
            return []
    if total is None or not isinstance(width, int) or not starts:
        return []
    return list(dict.fromkeys(max(0, min(start + width, total) - start) for start in starts))


RULE = Rule(slug="partial-last-batch", events=(EntryCalled,), find=_find, is_for_tests=False)
