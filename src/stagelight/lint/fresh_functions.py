"""Whether what is given to ``jit`` is a new function object each time control comes by."""

import ast
from collections.abc import Iterator

from stagelight.lint.annotations import certainly_array
from stagelight.lint.captures import own_nodes
from stagelight.lint.definitions import FunctionDefinition
from stagelight.lint.events import JitMade
from stagelight.lint.tracing_context import Context
from stagelight.lint.values import Closure, Method, Partial, Transformed, Value

_RUNS_ONCE = ("setup", "build", "make", "create", "test", "demo", "post")

type Loop = ast.For | ast.AsyncFor | ast.While | ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def fresh_operand(event: JitMade) -> str:
    """Return what makes the operand new each time the enclosing function runs, or an empty text.

    JAX's cache key holds the function object itself (``jax/_src/api.py``, ``jit``): equal code is not enough.
    """
    operand, value = event.operand, event.value
    if isinstance(operand, ast.Lambda):
        return "a lambda"
    if isinstance(operand, ast.Call):
        if isinstance(value, Partial):
            return "a partial"
        return "a transformed function" if _is_new_transform(event, value) else ""
    if isinstance(operand, ast.Name) and isinstance(value, (Closure, Partial)):
        is_made_here = event.scope.is_local(operand.id) and (not isinstance(value, Closure) or value.is_local)
        return f"the local function {operand.id}" if is_made_here else ""
    return ""


def _is_new_transform(event: JitMade, value: Value) -> bool:
    # Equinox's own transformed functions are pytrees, and compare by the functions inside them.
    both = isinstance(value, Transformed) and event.transformation.is_filtered and value.transformation.is_filtered
    return isinstance(value, Transformed) and not (both and value.transformation.name.startswith("equinox."))


def is_bound_method(event: JitMade) -> bool:
    """Whether the operand is a bound method of which each access is a new cache entry.

    ``jax.pmap`` and ``equinox.filter_jit`` keep theirs; the tests count the traces of each.
    """
    keeps_weakly = event.transformation.name in ("jax.jit", "flax.nnx.jit")
    return keeps_weakly and isinstance(event.operand, ast.Attribute) and isinstance(event.value, Method)


def innermost_loop(event: JitMade) -> Loop | None:
    """Return the Python loop around the place, or None."""
    loops = event.scope.loops
    last = loops[-1] if loops and event.context.loop_depth else None
    kinds = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
    return last if isinstance(last, kinds) else None


def names_made_in(loop: Loop) -> set[str]:
    """Return the names that one round of a loop binds anew."""
    names: set[str] = set()
    for node in ast.walk(loop):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def is_called_in(loop: Loop, node: ast.AST) -> bool:
    """Whether the jitted function is called in the same round: at once, or through the name it is given."""
    names = {node.name} if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else _names_given(loop, node)
    for child in ast.walk(loop):
        if isinstance(child, ast.Call) and (child.func is node or _name_of(child.func) in names):
            return True
    return False


def _names_given(tree: ast.AST, value: ast.AST) -> set[str]:
    return {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and node.value is value
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def uses_of(name: str, function: ast.AST) -> Iterator[tuple[ast.Name, bool]]:
    """Yield every reading of a name in a function, and whether it is a call outside of any loop."""
    yield from _uses(name, function, in_loop=False)


def _uses(name: str, node: ast.AST, *, in_loop: bool) -> Iterator[tuple[ast.Name, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id == name:
            yield child.func, not in_loop
            for argument in (*child.args, *(k.value for k in child.keywords)):
                yield from _uses(name, argument, in_loop=in_loop)
        elif isinstance(child, ast.Name) and child.id == name and isinstance(child.ctx, ast.Load):
            yield child, False
        else:
            is_loop = isinstance(child, (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.GeneratorExp))
            is_function = isinstance(child, (ast.FunctionDef, ast.Lambda))
            yield from _uses(name, child, in_loop=in_loop or is_loop or is_function)


def may_run_once(context: Context) -> bool:
    """Whether the code runs once for all that is known: at module level, in a builder, a script's main, a closure.

    A local function is in doubt too: it may well be called inside a trace, where nothing compiles again.
    """
    function = context.function
    if function is None or function.scope is not None or _is_called_by_script(function):
        return True
    words = function.plain_name.strip("_").split("_")
    return any(word in _RUNS_ONCE or word.startswith(("init", "test", "bench", "example")) for word in words)


def _is_called_by_script(function: FunctionDefinition) -> bool:
    for node in function.module.tree.body:
        if isinstance(node, ast.If) and any(name == "__name__" for name in _names_in(node.test)):
            return function.plain_name.strip("_") == "main" or function.plain_name in _names_in(node)
    return False


def _names_in(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def computes_with_jax(function: FunctionDefinition) -> bool:
    """Whether a function works on arrays itself: it may be called inside a trace, where nothing compiles again."""
    if any(certainly_array(node.annotation) for node in function.parameters.nodes):
        return True
    libraries = ("jax.numpy", "jax.lax", "jax.nn")
    listed = {name for name, dotted in function.module.imports.items() if dotted in libraries}
    return any(isinstance(node, ast.Name) and node.id in listed for node in own_nodes(function.node))
