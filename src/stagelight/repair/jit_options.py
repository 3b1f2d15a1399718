"""How a function is jitted where it is defined: its static arguments, and decorators that stand in the way."""

import ast
from collections.abc import Mapping, Sequence

from stagelight.repair.refusal import Refusal


def static_names(function: ast.FunctionDef) -> tuple[str, ...]:
    """Static arguments that the function's own decorator names.

    Raises:
        Refusal: A decorator other than ``jax.jit`` wraps the function, or its options are no literals.
    """
    found: list[str] = []
    for decorator in function.decorator_list:
        if _is_jit(decorator):
            continue
        options = _jit_options(decorator)
        if options is None:
            reason = f"the function is decorated with {ast.unparse(decorator)}, which a repair would have to run too"
            raise Refusal(reason)
        found += _names_in(options, function)
    return tuple(dict.fromkeys(found))


def _is_jit(node: ast.expr) -> bool:
    return ast.unparse(node) in ("jax.jit", "jit")


def _jit_options(node: ast.expr) -> Mapping[str, ast.expr] | None:
    """Options of ``jax.jit(…)`` or ``partial(jax.jit, …)``; None for any other decorator."""
    if not isinstance(node, ast.Call):
        return None
    is_partial = ast.unparse(node.func).endswith("partial") and bool(node.args) and _is_jit(node.args[0])
    if not is_partial and not _is_jit(node.func):
        return None
    return {k.arg: k.value for k in node.keywords if k.arg}


def _names_in(options: Mapping[str, ast.expr], function: ast.FunctionDef) -> list[str]:
    parameters = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    names: list[str] = []
    for value in _literal(options.get("static_argnames")):
        names.append(str(value))
    for value in _literal(options.get("static_argnums")):
        if not isinstance(value, int) or not -len(parameters) <= value < len(parameters):
            reason = "static_argnums names a position that the function does not have"
            raise Refusal(reason)
        names.append(parameters[value])
    return names


def _literal(node: ast.expr | None) -> Sequence[object]:
    if node is None:
        return ()
    try:
        value = ast.literal_eval(node)
    except ValueError:
        reason = "the options of jax.jit are no literals"
        raise Refusal(reason) from None
    return value if isinstance(value, tuple | list) else (value,)


def with_static(text: str, function: ast.FunctionDef, names: Sequence[str], jit: str, partial: str) -> str | None:
    """The file with the function's jit decorator naming these static arguments; None where it has no such decorator.

    Args:
        text: The file.
        function: Its definition.
        names: All static arguments.
        jit: How the module writes ``jax.jit``.
        partial: How the module writes ``functools.partial``.
    """
    for decorator in function.decorator_list:
        if not _is_jit(decorator) and _jit_options(decorator) is None:
            continue
        options = dict(_jit_options(decorator) or {})
        kept = [f"{k}={ast.unparse(v)}" for k, v in options.items() if k not in ("static_argnames", "static_argnums")]
        value = repr(names[0]) if len(names) == 1 else repr(tuple(names))
        value = value.replace("'", '"')
        written = f"{partial}({', '.join([jit, f'static_argnames={value}', *kept])})"
        lines = text.splitlines()
        line = lines[decorator.lineno - 1]
        head = line.encode()[: decorator.col_offset].decode()
        new = [*lines[: decorator.lineno - 1], head + written, *lines[(decorator.end_lineno or decorator.lineno) :]]
        return "\n".join(new) + ("\n" if text.endswith("\n") else "")
    return None
