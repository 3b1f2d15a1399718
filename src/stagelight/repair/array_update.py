"""``x[i] = v`` → ``x = x.at[i].set(v)``, and masks in ``.at`` → ``jnp.where``."""

import ast

from stagelight.repair.failing import Failing
from stagelight.repair.refusal import Refusal

_METHODS = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Pow: "power",
}
_SYMBOLS = {"add": "+", "subtract": "-", "multiply": "*", "mul": "*", "divide": "/"}


def assignment_with_at(failing: Failing) -> str:
    """Rewrite the failing assignment into an array.

    Raises:
        Refusal: The target is more than a name, or the name has an alias that would have changed too.
    """
    statement, target = failing.statement(), failing.node
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        reason = "the array that is assigned into has no plain name"
        raise Refusal(reason)
    name = target.value.id
    if name in failing.parameters and not failing.is_entry:
        raise Refusal(f"{name} belongs to the caller of {failing.function.name}, which would not see the new array")
    _require_no_alias(name, failing)
    index, array = failing.source.text_of(target.slice), failing.source.text_of(target.value)
    if isinstance(statement, ast.Assign) and statement.targets == [target]:
        method = "set"
    elif isinstance(statement, ast.AugAssign) and type(statement.op) in _METHODS:
        method = _METHODS[type(statement.op)]
    else:
        reason = "the statement does more than assign into one array"
        raise Refusal(reason)
    value = failing.source.text_of(statement.value)
    return failing.source.with_node(statement, f"{name} = {array}.at[{index}].{method}({value})")


def _require_no_alias(name: str, failing: Failing) -> None:
    """In NumPy's way, an alias of the array would have changed with it."""
    for node in ast.walk(failing.function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name | ast.Subscript | ast.Attribute):
            root = node.value
            while isinstance(root, ast.Subscript | ast.Attribute):
                root = root.value
            targets = [t.id for t in node.targets if isinstance(t, ast.Name)]
            if isinstance(root, ast.Name) and (root.id == name or name in targets):
                raise Refusal(
                    f"{name} and {ast.unparse(node.value)} may be one array, of which one name would keep the old"
                )


def mask_update_with_where(failing: Failing) -> str:
    """Rewrite ``x.at[mask].set(v)`` and its kin as a choice between values.

    Raises:
        Refusal: The failing expression is no such update.
    """
    call = failing.node
    is_update = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and len(call.args) == 1
    chosen = call.func.value if is_update else None
    if (
        not isinstance(chosen, ast.Subscript)
        or not isinstance(chosen.value, ast.Attribute)
        or chosen.value.attr != "at"
    ):
        reason = "the number of selected elements depends on data: select with jnp.where, or give size="
        raise Refusal(reason)
    text = failing.source.text_of
    array, mask, value = text(chosen.value.value), text(chosen.slice), text(call.args[0])
    if call.func.attr != "set" and call.func.attr not in _SYMBOLS:
        raise Refusal(f".at[mask].{call.func.attr} has no form with jnp.where")
    updated = value if call.func.attr == "set" else f"{array} {_SYMBOLS[call.func.attr]} {value}"
    # The update keeps the array's dtype; where would take the wider of both.
    choice = f"{failing.names.numpy}.where({mask}, {updated}, {array}).astype({array}.dtype)"
    return failing.source.with_node(call, choice)
