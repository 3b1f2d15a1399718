"""The least and the greatest value of a size over ranges of its names.

Tight where the size is monotone in every name (the usual case), or where few enough sizes are admissible to try them
all; otherwise interval arithmetic gives a bound that may be loose but is never wrong.
"""

import ast
import itertools
import math
from collections.abc import Mapping

from stagelight.sizes.expression import Expression, parse

type Range = tuple[int, int]
type Ranges = Mapping[str, Range]
type Directions = dict[str, int | None]

# Trying every admissible size costs about a microsecond each, once per dimension and bucket.
_ENUMERATED_AT_MOST = 100_000


def bounds(text: str, ranges: Ranges) -> Range:
    """The least and the greatest value that a size can take.

    Args:
        text: The size.
        ranges: For each name, its least and greatest value, both included.

    Example:
        >>> from stagelight.sizes.bounds import bounds
        >>> bounds("b - floordiv(b, 2)", {"b": (2, 16)})
        (1, 8)
    """
    expression = parse(text)
    directions = _directions(expression.tree, ranges)
    if all(directions.get(name) is not None for name in expression.names):
        return _at_ends(expression, ranges, directions)
    if math.prod(ranges[name][1] - ranges[name][0] + 1 for name in expression.names) <= _ENUMERATED_AT_MOST:
        return _by_trying(expression, ranges)
    return _interval(expression.tree, ranges)


def _at_ends(expression: Expression, ranges: Ranges, directions: Directions) -> Range:
    rising = {name: directions[name] != -1 for name in expression.names}
    least = expression.evaluate({name: ranges[name][0 if up else 1] for name, up in rising.items()})
    greatest = expression.evaluate({name: ranges[name][1 if up else 0] for name, up in rising.items()})
    return least, greatest


def _by_trying(expression: Expression, ranges: Ranges) -> Range:
    sizes = itertools.product(*(range(ranges[name][0], ranges[name][1] + 1) for name in expression.names))
    values = [expression.evaluate(dict(zip(expression.names, chosen, strict=True))) for chosen in sizes]
    return min(values), max(values)


def _products(a: Range, b: Range) -> Range:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _interval(node: ast.expr, ranges: Ranges) -> Range:
    match node:
        case ast.Constant(value=int(value)):
            return value, value
        case ast.Name(id=name):
            return ranges[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            low, high = _interval(operand, ranges)
            return -high, -low
        case ast.UnaryOp(operand=operand):
            return _interval(operand, ranges)
        case ast.BinOp(left=left, op=operator, right=right):
            return _interval_of_operation(operator, _interval(left, ranges), _interval(right, ranges))
        case ast.Call(func=ast.Name(id=function), args=[first, second]):
            return _interval_of_function(function, _interval(first, ranges), _interval(second, ranges))
        case _:
            message = f"no bound for {ast.unparse(node)}"
            raise AssertionError(message)


def _interval_of_operation(operator: ast.operator, a: Range, b: Range) -> Range:
    match operator:
        case ast.Add():
            return a[0] + b[0], a[1] + b[1]
        case ast.Sub():
            return a[0] - b[1], a[1] - b[0]
        case ast.Mult():
            return _products(a, b)
        case _:  # a power, whose exponent JAX writes as a positive constant
            power = (1, 1)
            for _ in range(b[0]):
                power = _products(power, a)
            return power


def _interval_of_function(function: str, a: Range, b: Range) -> Range:
    match function:
        case "max":
            return max(a[0], b[0]), max(a[1], b[1])
        case "min":
            return min(a[0], b[0]), min(a[1], b[1])
        case "mod" if b[0] > 0:
            return 0, b[1] - 1
        case "floordiv" if b[0] > 0 or b[1] < 0:
            corners = [x // y for x in a for y in b]
            return min(corners), max(corners)
        case _:  # the divisor may be zero: as wide as the dividend
            widest = max(abs(a[0]), abs(a[1]), abs(b[0]), abs(b[1]))
            return -widest, widest


def _turned(directions: Directions) -> Directions:
    return {name: None if sign is None else -sign for name, sign in directions.items()}


def _unknown(directions: Directions) -> Directions:
    return dict.fromkeys(directions)


def _joined(a: Directions, b: Directions) -> Directions:
    return a | {name: sign if a.get(name, sign) == sign else None for name, sign in b.items()}


def _scaled(directions: Directions, factor: Range) -> Directions:
    if factor[0] >= 0:
        return directions
    return _turned(directions) if factor[1] <= 0 else _unknown(directions)


def _directions(node: ast.expr, ranges: Ranges) -> Directions:
    """For each name whether the size rises (1) or falls (-1) with it, or neither is known (None)."""
    match node:
        case ast.Name(id=name):
            return {name: 1}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _turned(_directions(operand, ranges))
        case ast.UnaryOp(operand=operand):
            return _directions(operand, ranges)
        case ast.BinOp(left=left, op=operator, right=right):
            return _directions_of_operation(operator, left, right, ranges)
        case ast.Call(func=ast.Name(id=function), args=[first, second]):
            return _directions_of_function(function, first, second, ranges)
        case _:
            return {}


def _directions_of_operation(operator: ast.operator, left: ast.expr, right: ast.expr, ranges: Ranges) -> Directions:
    a, b = _directions(left, ranges), _directions(right, ranges)
    match operator:
        case ast.Add():
            return _joined(a, b)
        case ast.Sub():
            return _joined(a, _turned(b))
        case ast.Mult():
            return _joined(_scaled(a, _interval(right, ranges)), _scaled(b, _interval(left, ranges)))
        case _:
            return _scaled(a, _interval(left, ranges)) if _interval(left, ranges)[0] >= 0 else _unknown(a)


def _directions_of_function(function: str, first: ast.expr, second: ast.expr, ranges: Ranges) -> Directions:
    a, b = _directions(first, ranges), _directions(second, ranges)
    if function in ("max", "min"):
        return _joined(a, b)
    divisor = _interval(second, ranges)
    if function == "floordiv" and not b and 0 not in divisor:
        return a if divisor[0] > 0 else _turned(a)
    return _unknown(_joined(a, b))
