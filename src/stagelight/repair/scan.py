"""``for x in xs`` over the rows of an array, which unrolls → ``lax.scan``, which traces the body once."""

import ast
from collections.abc import Mapping

from stagelight.repair.failing import Place
from stagelight.repair.loop import CarryingLoop
from stagelight.repair.names import JaxNames, loaded, stored
from stagelight.repair.refusal import NotApplicable, Refusal
from stagelight.repair.source_text import INDENT, SourceText

FEWEST_ROUNDS = 16
"""Below it an unrolled loop is no advisory either."""


def loop_with_scan(source: SourceText, function: str, arrays: Mapping[str, object], names: JaxNames) -> str:
    """Rewrite the first loop of a function over the rows of its array arguments.

    Args:
        source: The file.
        function: The function's name.
        arrays: The example's values by parameter.
        names: How the module writes JAX.

    Raises:
        NotApplicable: No such loop runs often enough to matter.
        Refusal: The loop cannot be separated.
    """
    definition = next(n for n in source.tree.body if isinstance(n, ast.FunctionDef) and n.name == function)
    for node in ast.walk(definition):
        if isinstance(node, ast.For) and (over := _rows(node, arrays)):
            place = Place(source=source, node=node.iter, function=definition, names=names, is_entry=True)
            return _rewritten(place, node, over)
    reason = "no loop over an array argument is unrolled"
    raise NotApplicable(reason)


def _rows(node: ast.For, arrays: Mapping[str, object]) -> str:
    """What the loop goes over, as an argument of ``scan``; empty where it is not rows of arguments."""
    match node.iter:
        case ast.Name(id=name):
            return name if _length(arrays.get(name)) >= FEWEST_ROUNDS else ""
        case ast.Call(func=ast.Name(id="zip"), args=[_, _, *_] as parts, keywords=[]):
            held = [p.id for p in parts if isinstance(p, ast.Name)]
            lengths = {_length(arrays.get(name)) for name in held}
            is_even = len(held) == len(parts) and len(lengths) == 1 and min(lengths) >= FEWEST_ROUNDS
            return f"({', '.join(held)})" if is_even else ""
        case _:
            return ""


def _length(value: object) -> int:
    shape = getattr(value, "shape", ())
    return shape[0] if shape else 0


def _rewritten(place: Place, node: ast.For, over: str) -> str:
    targets = set(stored([node.target]))
    if targets & set(loaded(place.read_after(node))):
        raise Refusal(f"{', '.join(sorted(targets))} is used after the loop")
    if {n.id for s in node.body for n in ast.walk(s) if isinstance(n, ast.Name) and not _reads(n)} & targets:
        reason = "the loop's body gives the loop variable another value"
        raise Refusal(reason)
    loop = CarryingLoop(place, node)
    step, element = loop.fresh("_step"), place.source.text_of(node.target)
    is_name = isinstance(node.target, ast.Name)
    argument = element if is_name else loop.fresh("_element")
    unpacked = [] if is_name else [f"{loop.inner}{element} = {argument}"]
    new = [
        *loop.step_lines(f"{step}(carry, {argument})", first=unpacked, result=f"{loop.tuple}, None"),
        f"{loop.indent}{loop.carry}, _ = {place.names.lax}.scan({step}, {loop.tuple}, {over})",
    ]
    if len(loop.names) > 1:
        new[-1] = f"{loop.indent}({loop.carry}), _ = {place.names.lax}.scan({step}, {loop.tuple}, {over})"
    if loop.indent + INDENT != loop.inner:
        reason = "the loop is indented in an unusual way"
        raise Refusal(reason)
    return loop.replaced(new)


def _reads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)
