"""Python control flow asks a traced value for its truth.

## What it does

Finds `if`, `while`, conditional expressions, `assert`, `match`, filters of comprehensions, chained comparisons and
membership tests whose outcome depends on a value that exists only when the compiled program runs.

## Why it costs

While tracing there is no value to test, so JAX raises `TracerBoolConversionError`. The branch is often one that tests
do not reach: the error then waits for the first user who gets there.

## Example

```python
@jax.jit
def f(x):
    if x.sum() > 0:
        return x
    return -x
```

## Use instead

```python
@jax.jit
def f(x):
    return jnp.where(x.sum() > 0, x, -x)
```

`jax.lax.cond` evaluates one side only, `jax.lax.while_loop` replaces `while`. If the value selects between a few
behaviours, make it a static argument. For `0 < x < 1` write `(0 < x) & (x < 1)`; for `x in (1, 2)` write
`jnp.isin(x, jnp.array([1, 2]))`.

## When it is fine

On shapes, dtypes, `None`, types and keys of dictionaries, which are known while tracing; and in code that is only
differentiated, where values are concrete.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.events import BoolNeeded, Compared
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule
from stagelight.lint.values import Array, HostArray, Known, Sequence, Value, is_parameter, origins_of
from stagelight.lint.wording import flows_from, traced

_CONTROL_FLOW = ("if", "while", "conditional expression", "assert", "comprehension", "match")
_ORDERINGS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_HINTS = {
    "while": "use jax.lax.while_loop, or make the bound static",
    "assert": "use jax.experimental.checkify, or check on the host",
    "comprehension": "use jnp.where with a mask",
    "match": "use jax.lax.switch, or make the subject static",
}


def _find(event: BoolNeeded | Compared, machine: Machine) -> Iterator[Draft]:
    if isinstance(event, Compared):
        yield from _in_comparison(event)
    elif event.demand in _CONTROL_FLOW and isinstance(event.value, Array):
        yield Draft(
            node=event.node,
            message=f"{event.demand} needs a Python bool, but {traced(event.node, event.value.origins)}",
            hint=_HINTS.get(event.demand, "use jnp.where or jax.lax.cond, or make the value a static argument"),
            origins=event.value.origins,
        )


def _in_comparison(event: Compared) -> Iterator[Draft]:
    node, values = event.node, event.values
    if len(node.ops) > 1 and _is_traced_chain(node, values, is_staged=event.context.is_staged):
        yield Draft(
            node=node,
            message=f"a chained comparison is an implicit `and`, on traced data ({flows_from(origins_of(*values))})",
            hint="write the comparisons apart and join them with `&`",
            origins=origins_of(*values),
        )
    elif isinstance(node.ops[0], (ast.In, ast.NotIn)) and _needs_equality(*values[:2]):
        yield Draft(
            node=node,
            message=f"`in` compares and needs Python bools, on traced data ({flows_from(origins_of(*values))})",
            hint="use jnp.isin, or (x == a) | (x == b)",
            origins=origins_of(*values),
        )


def _is_traced_chain(node: ast.Compare, values: tuple[Value, ...], *, is_staged: bool) -> bool:
    # The last comparison of a chain is not asked for its truth by the chain itself.
    asked = values[:-1]
    if any(isinstance(value, Array) for value in asked):
        return True
    orders = all(isinstance(op, _ORDERINGS) for op in node.ops)
    return is_staged and orders and any(is_parameter(value) for value in asked)


def _needs_equality(left: Value, right: Value) -> bool:
    if isinstance(right, Array):
        return True
    return isinstance(left, Array) and isinstance(right, (Sequence, HostArray, Known)) and right != Sequence(())


RULE = Rule(slug="traced-condition", events=(BoolNeeded, Compared), find=_find)
