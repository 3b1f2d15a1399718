"""A static argument takes a new value on every round of a loop.

## What it does

Finds static arguments that are fed from a loop counter, a schedule, or a random draw, in loops of more than 8 rounds
whose number the source shows.

## Why it costs

Every new static value is a new cache entry: it traces and compiles again.

## Example

```python
@partial(jax.jit, static_argnames="step")
def update(params, step):
    return params / (1 + step)


def fit(params):
    for step in range(100):
        params = update(params, step=step)
    return params
```

## Use instead

```python
@jax.jit
def update(params, step):
    return params / (1 + step)


def fit(params):
    for step in range(100):
        params = update(params, step=step)
    return params
```

If the value decides a shape, round it up to one of a few sizes.

## When it is fine

With a handful of values, such as a list of presets.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.carried_values import HostLoop, assignments_in, loop_around, loop_variables, rounds_of
from stagelight.lint.events import EntryCalled
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.spans import shown

MOST_VALUES = 8
_DRAWS = frozenset(["integers", "randint", "random", "uniform", "normal", "choice", "randrange", "gauss"])
_KEEPS_APART = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
_CONVERSIONS = ("int", "float", "round", "abs")


def _find(event: EntryCalled, machine: Machine) -> Iterator[Draft]:
    loop = loop_around(event)
    varying = event.statics & event.bound.keys()
    if loop is None or not varying:
        return
    rounds = rounds_of(loop, event, machine)
    if rounds is None or rounds <= MOST_VALUES:
        return
    for name in sorted(varying):
        node, _ = event.bound[name]
        why = _why_it_varies(node, loop)
        if why:
            yield Draft(
                node=node,
                message=f"the static argument `{name}` gets {why}, in {rounds} rounds: each value compiles again",
                hint="make it an ordinary argument",
            )


def _why_it_varies(node: ast.expr, loop: HostLoop) -> str:
    if isinstance(node, ast.Name):
        if node.id in loop_variables(loop):
            return "the loop variable"
        assigned = list(assignments_in(loop, node.id))
        if assigned and all(isinstance(a, ast.AugAssign) and isinstance(a.op, _KEEPS_APART) for a in assigned):
            return f"`{node.id}`, which changes on every round"
        expressions = [a for a in assigned if isinstance(a, ast.expr)]
        return _why_it_varies(expressions[0], loop) if len(assigned) == 1 and expressions else ""
    if isinstance(node, ast.BinOp) and isinstance(node.op, _KEEPS_APART):
        sides = (node.left, node.right)
        constant = any(isinstance(side, ast.Constant) for side in sides)
        why = next(filter(None, (_why_it_varies(side, loop) for side in sides)), "")
        return f"`{shown(node)}`, computed from it" if why and constant else ""
    if isinstance(node, ast.Call):
        return _why_call_varies(node, loop)
    return ""


def _why_call_varies(node: ast.Call, loop: HostLoop) -> str:
    function = node.func
    name = (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )
    if name in _CONVERSIONS and len(node.args) == 1:
        return _why_it_varies(node.args[0], loop)
    return "a random draw" if name in _DRAWS and isinstance(function, ast.Attribute) else ""


RULE = Rule(slug="varying-static-argument", events=(EntryCalled,), find=_find, is_for_tests=False)
