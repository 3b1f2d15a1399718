"""A value that a trace has captured is changed afterwards.

## What it does

Finds module-level names, and attributes of `self`, that a jitted function reads without taking them as arguments, and
that the program changes after calling it.

## Why it costs

What a trace reads from outside is read once and becomes a constant of the compiled program. Nothing fails: the function
goes on with the old value.

## Example

```python
rate = 2.0


@jax.jit
def scaled(x):
    return rate * x


def tune(x):
    global rate
    first = scaled(x)
    rate = 3.0
    return first, scaled(x)
```

## Use instead

```python
@jax.jit
def scaled(x, rate):
    return rate * x


def tune(x):
    first = scaled(x, 2.0)
    return first, scaled(x, 3.0)
```

## When it is fine

When the value is set before the first call. Only changes after a call, and attributes that a method computes from their
own old value, are reported.
"""

import ast
from collections.abc import Iterator

from stagelight.lint.captures import captured_attributes, captured_globals, changes_by_attribute, is_between_calls
from stagelight.lint.events import ClassRead, HostRead
from stagelight.lint.machine import Machine
from stagelight.lint.rule import Draft, Rule


def _find(event: HostRead | ClassRead, machine: Machine) -> Iterator[Draft]:
    if isinstance(event, ClassRead):
        yield from _in_class(event, machine)
    else:
        yield from _in_body(event, machine)


def _in_body(event: HostRead, machine: Machine) -> Iterator[Draft]:
    captured = captured_globals(machine, event.module)
    for name, assigned in _rebound_names(event.node) if captured else ():
        for function, reading in captured.get(name, ()):
            if is_between_calls(assigned, function, event.node):
                yield Draft(
                    node=assigned,
                    message=f"`{name}` is changed after {function} was traced with it (line {reading.lineno})",
                    hint=f"pass {name} to {function} as an argument",
                )
                break


def _rebound_names(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    shared = {name for child in node.body if isinstance(child, ast.Global) for name in child.names}
    for child in _statements(node.body):
        targets = (
            child.targets
            if isinstance(child, ast.Assign)
            else [child.target]
            if isinstance(child, ast.AugAssign)
            else []
        )
        for target in targets:
            if isinstance(target, ast.Name) and (isinstance(node, ast.Module) or target.id in shared):
                yield target.id, child


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        yield node
        for inner in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, inner, []))


def _in_class(event: ClassRead, machine: Machine) -> Iterator[Draft]:
    captured = list(captured_attributes(machine, event.definition))
    changes = changes_by_attribute(event.definition) if captured else {}
    for attribute, method in captured:
        for change in changes.get(attribute, ()):
            yield Draft(
                node=change,
                message=f"`self.{attribute}` is changed here, but the trace of {method} keeps the value it captured",
                hint=f"pass {attribute} to {method} as an argument",
            )


RULE = Rule(slug="stale-capture", events=(HostRead, ClassRead), find=_find, is_for_tests=False)
