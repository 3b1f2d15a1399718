"""``print`` of a traced value → ``jax.debug.print``, which prints on every run."""

import ast

from stagelight.repair.names import JaxNames
from stagelight.repair.refusal import Refusal
from stagelight.repair.source_text import SourceText


def print_with_debug_print(source: SourceText, call: ast.Call, names: JaxNames) -> str:
    """Rewrite one call of ``print``.

    Raises:
        Refusal: It writes to a file, or formats in a way that has no equivalent.
    """
    separator = " "
    for keyword in call.keywords:
        if keyword.arg != "sep" or not isinstance(keyword.value, ast.Constant):
            raise Refusal(f"print has the option {keyword.arg}, which jax.debug.print lacks")
        separator = str(keyword.value.value)
    template, values = [], []
    for argument in call.args:
        text, parts = _piece(argument, source)
        template.append(text)
        values += parts
    shown = _quoted(separator.join(template))
    return source.with_node(call, f"{names.jax}.debug.print({', '.join([shown, *values])})")


def print_of_arguments(source: SourceText, function: str) -> ast.Call | None:
    """The first print in the function that shows something which is no constant."""
    definition = next(n for n in source.tree.body if isinstance(n, ast.FunctionDef) and n.name == function)
    for node in ast.walk(definition):
        is_print = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        if is_print and any(not isinstance(a, ast.Constant) for a in node.args):
            return node
    return None


def _quoted(text: str) -> str:
    """The text as a literal in double quotes, where it holds none."""
    literal = repr(text)
    return literal if '"' in literal else f'"{literal[1:-1]}"'


def _piece(node: ast.expr, source: SourceText) -> tuple[str, list[str]]:
    """Template text and values of one argument."""
    if isinstance(node, ast.Constant):
        return str(node.value).replace("{", "{{").replace("}", "}}"), []
    if isinstance(node, ast.JoinedStr):
        pieces = [_formatted(v, source) for v in node.values]
        return "".join(text for text, _ in pieces), [value for _, values in pieces for value in values]
    if isinstance(node, ast.Starred):
        reason = "print unpacks its arguments"
        raise Refusal(reason)
    return "{}", [source.text_of(node)]


def _formatted(node: ast.expr, source: SourceText) -> tuple[str, list[str]]:
    if isinstance(node, ast.Constant):
        return _piece(node, source)
    assert isinstance(node, ast.FormattedValue)
    if node.conversion != -1:
        reason = "a conversion (!r) has no equivalent in jax.debug.print"
        raise Refusal(reason)
    specification = ast.unparse(node.format_spec)[2:-1] if node.format_spec is not None else ""
    return f"{{:{specification}}}" if specification else "{}", [source.text_of(node.value)]
