"""The edit that moves a ``jit`` of a stable function out of a loop; see ``safe_edits`` for the closed list."""

import ast

from stagelight.lint.events import JitMade
from stagelight.lint.fresh_functions import Loop, names_made_in
from stagelight.lint.machine import Machine
from stagelight.lint.values import Closure, External, Value, literal_of
from stagelight.model.finding import Edit, Span


def hoisted_jit(event: JitMade, loop: Loop, machine: Machine) -> tuple[Edit, ...]:
    """Return the edits that move ``name = jax.jit(…)`` before its loop, or nothing where that may change the program.

    The statement must stand alone in the loop's body, name something that nothing else assigns there, and read only
    what cannot change: modules, functions of the module, numbers and text.
    """
    if not isinstance(loop, (ast.For, ast.While)) or loop.orelse or len(loop.body) < 2:
        return ()
    statement = next((s for s in loop.body if isinstance(s, ast.Assign) and s.value is event.node), None)
    if statement is None or len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name):
        return ()
    if not _is_only_assignment(statement.targets[0].id, event) or not _reads_stable(event, loop, machine):
        return ()
    lines = event.context.module.lines
    text = [line.strip() for line in lines[statement.lineno - 1 : statement.end_lineno]]
    if len(text) != 1 or "#" in text[0] or not _is_alone(statement, loop):
        return ()
    indent = lines[loop.lineno - 1][: loop.col_offset]
    before = Span(line=loop.lineno, column=1, end_line=loop.lineno, end_column=1)
    whole = Span(line=statement.lineno, column=1, end_line=statement.lineno + 1, end_column=1)
    return (Edit(span=before, text=f"{indent}{text[0]}\n"), Edit(span=whole, text=""))


def _is_only_assignment(name: str, event: JitMade) -> bool:
    function = event.context.function
    tree = function.node if function is not None else event.context.module.tree
    stores = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)]
    loads = [
        n.lineno for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
    ]
    return len(stores) == 1 and all(line > stores[0].lineno for line in loads)


def _is_alone(statement: ast.stmt, loop: ast.For | ast.While) -> bool:
    neighbours = [s.lineno for s in loop.body if s is not statement]
    return statement.lineno not in neighbours and statement.lineno != loop.lineno


def _reads_stable(event: JitMade, loop: Loop, machine: Machine) -> bool:
    made = names_made_in(loop)
    bound = {a.arg for n in ast.walk(event.node) if isinstance(n, ast.arguments) for a in _all_arguments(n)}
    for node in ast.walk(event.node):
        if isinstance(node, ast.Name) and node.id not in bound:
            value = event.scope.look_up(node.id)
            if node.id in made or not _is_stable(value or machine.global_value(event.context.module, node.id)):
                return False
        elif isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield)):
            return False
    return True


def _all_arguments(node: ast.arguments) -> list[ast.arg]:
    stars = [a for a in (node.vararg, node.kwarg) if a is not None]
    return [*node.posonlyargs, *node.args, *node.kwonlyargs, *stars]


def _is_stable(value: Value) -> bool:
    if isinstance(value, Closure):
        return not value.is_local
    return isinstance(value, External) or isinstance(literal_of(value), (int, float, str))
