"""How a host loop feeds a jitted function: what it carries from round to round, and what changes on each."""

import ast
from collections.abc import Iterator

from stagelight.lint.events import EntryCalled
from stagelight.lint.loops import count_of_rounds
from stagelight.lint.machine import Machine

type HostLoop = ast.For | ast.AsyncFor | ast.While | ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def loop_around(event: EntryCalled) -> HostLoop | None:
    """Return the innermost Python loop around a call, or None."""
    loops = event.scope.loops
    last = loops[-1] if loops else None
    kinds = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
    return last if isinstance(last, kinds) else None


def rounds_of(loop: HostLoop, event: EntryCalled, machine: Machine) -> int | None:
    """Return how often a loop runs, where the source shows it."""
    if isinstance(loop, ast.While):
        return None
    iterated = loop.iter if isinstance(loop, (ast.For, ast.AsyncFor)) else loop.generators[-1].iter
    quiet = event.context.quieted()
    value = machine.evaluate(iterated, event.scope, quiet)
    return count_of_rounds(machine, iterated, value, event.scope, quiet)


def loop_variables(loop: HostLoop) -> set[str]:
    """Return the names that a loop itself binds."""
    if isinstance(loop, ast.While):
        return set()
    targets = [loop.target] if isinstance(loop, (ast.For, ast.AsyncFor)) else [g.target for g in loop.generators]
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def assignments_in(loop: HostLoop, name: str) -> Iterator[ast.expr | ast.AugAssign]:
    """Yield what is assigned to a name inside a loop: expressions, and augmented assignments whole."""
    for node in ast.walk(loop):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            yield node
        elif isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            yield node.value


def targets_of_call(loop: HostLoop, call: ast.Call) -> dict[str, int | None]:
    """Return the names that a call's result is assigned to, with their position in it (None for the whole)."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Assign) and node.value is call and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                return {target.id: None}
            if isinstance(target, ast.Tuple):
                return {t.id: position for position, t in enumerate(target.elts) if isinstance(t, ast.Name)}
    return {}
