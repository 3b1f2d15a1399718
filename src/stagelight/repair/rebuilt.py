"""Functions built from a version of a file's text, beside the module that was imported from the file."""

import ast
import itertools
import linecache
import types
from collections.abc import Collection, Mapping

from stagelight.repair.refusal import Refusal

_numbers = itertools.count(1)


class Rebuilt:
    """Some functions of one version of a file, made anew in a copy of the module's namespace.

    Only these functions' definitions run, never the module: importing it once is all that happens to it.

    Args:
        text: The version.
        functions: Qualified names of the functions to make anew; the first is the one to call.
        namespace: The imported module's globals.
        extra: Further names for the functions' code.

    Attributes:
        file: A name of its own, that tracebacks and source look-ups know.
        call: The first function, without its decorators.
    """

    def __init__(
        self, text: str, functions: Collection[str], namespace: Mapping[str, object], extra: Mapping[str, object] = {}
    ):
        self.file = f"<stagelight repair {next(_numbers)}>"
        linecache.cache[self.file] = (len(text), None, text.splitlines(keepends=True), self.file)
        tree = ast.parse(text)
        wanted = list(functions)
        body: list[ast.stmt] = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom) and _is_jax(n)]
        for node in tree.body:
            if _is_new(node, namespace):
                body.append(node)
            if isinstance(node, ast.FunctionDef) and node.name in wanted:
                if node.name == wanted[0]:
                    node.decorator_list = []
                body.append(node)
        scope = {**namespace, **extra}
        exec(compile(ast.Module(body, []), self.file, "exec"), scope)
        made = scope.get(wanted[0])
        if not isinstance(made, types.FunctionType):
            reason = f"{wanted[0]} is no function at the top level of its module"
            raise Refusal(reason)
        self.call = made


def _is_new(node: ast.stmt, namespace: Mapping[str, object]) -> bool:
    """Whether a statement gives a value to a name that the module lacks: a repair has added it."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    return bool(targets) and all(isinstance(t, ast.Name) and t.id not in namespace for t in targets)


def _is_jax(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import is of JAX: a repair may have added it."""
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
    return all(name.split(".")[0] == "jax" for name in names)
