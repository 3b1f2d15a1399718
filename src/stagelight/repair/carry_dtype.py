"""A loop whose carry changes its dtype → the start value with the dtype that the body returns."""

import ast
import re

from stagelight.adapters.failure_slug import called_name
from stagelight.repair.failing import Failing
from stagelight.repair.refusal import Refusal

# jax/_src/lax/control_flow/loops.py: _check_carry_type
_DIFFERS = re.compile(
    r"The input carry (?:component )?(\w+)((?:\[\d+\])*) has type \w+\[[\d,]*\](?:\{\w+\})? "
    r"but the corresponding output carry component has type (\w+)\[[\d,]*\][^,]*, so the dtypes do not match\."
)
_START = {"scan": 1, "while_loop": 2, "fori_loop": 3}


def start_with_dtype(failing: Failing) -> str:
    """Give the failing loop's start value the dtype that its body returns.

    Raises:
        Refusal: More than the dtype differs, or the start value is not written in the call.
    """
    found = _DIFFERS.search(failing.failure.message)
    call = failing.node
    position = _START.get(called_name(call))
    if found is None or position is None or not isinstance(call, ast.Call):
        reason = "more than the dtype of one carried value differs"
        raise Refusal(reason)
    start = _start_value(call, position)
    for index in re.findall(r"\d+", found[2]):
        if not isinstance(start, ast.Tuple | ast.List) or int(index) >= len(start.elts):
            reason = "the start value is not written in the call"
            raise Refusal(reason)
        start = start.elts[int(index)]
    text, numpy = failing.source.text_of(start), failing.names.numpy
    return failing.source.with_node(start, f"{numpy}.asarray({text}, dtype={numpy}.{found[3]})")


def _start_value(call: ast.Call, position: int) -> ast.expr:
    named = [k.value for k in call.keywords if k.arg in ("init", "init_val")]
    if named:
        return named[0]
    if len(call.args) <= position:
        reason = "the start value is not written in the call"
        raise Refusal(reason)
    return call.args[position]
